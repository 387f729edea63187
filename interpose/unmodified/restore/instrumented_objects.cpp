#include "instrumented_objects.hpp"

#include <algorithm>
#include <vector>

#include <dlfcn.h>

#include "../../../runtime/execution/allocations.hpp"

namespace hocket::unmodified {

namespace {

// Not a local static: this is asked while the sanitizer's library, which a program may have by mistake,
// begins, and its guards work only after that.
constinit std::vector<std::uintptr_t>* all_bases = nullptr;

std::vector<std::uintptr_t>& bases() {
  if (all_bases == nullptr) all_bases = new std::vector<std::uintptr_t>;
  return *all_bases;
}

void note(const void* code) {
  const runtime::OwnMemory own;
  Dl_info object;
  if (dladdr(code, &object) == 0) return;
  const auto base = reinterpret_cast<std::uintptr_t>(object.dli_fbase);
  if (!is_instrumented(base)) bases().push_back(base);
}

}  // namespace

bool is_instrumented(std::uintptr_t base) {
  return std::find(bases().begin(), bases().end(), base) != bases().end();
}

bool is_anything_instrumented() {
  return !bases().empty();
}

bool is_instrumented_code(const void* code) {
  const runtime::OwnMemory own;
  Dl_info object;
  return dladdr(code, &object) != 0 && is_instrumented(reinterpret_cast<std::uintptr_t>(object.dli_fbase));
}

}  // namespace hocket::unmodified

// Called by each instrumented translation unit when its object is loaded.
extern "C" void __tsan_init() {
  hocket::unmodified::note(__builtin_return_address(0));
}
