#include <hocket/interpose/unmodified/exit_handlers.hpp>

#include <cstdlib>
#include <vector>

#include <unistd.h>

#include <hocket/interpose/unmodified/entry.hpp>
#include <hocket/interpose/unmodified/real.hpp>
#include <hocket/runtime/allocations.hpp>

namespace hocket::unmodified {

namespace {

struct Handler {
  void (*call)(void*);
  void* object;
};

std::vector<Handler>& handlers() {
  static auto* const all = new std::vector<Handler>;
  return *all;
}

}  // namespace

void (*end_whole_program)(int status, ExitManner manner) = nullptr;

void run_exit_handlers() {
  while (!handlers().empty()) {
    const Handler last = handlers().back();
    handlers().pop_back();
    last.call(last.object);
  }
}

void forget_exit_handlers() {
  handlers().clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

extern char __dso_handle
    __attribute__((visibility("hidden")));  // its address names the program, with this in it

// The name under which cmake/HocketLinkUnmodified.cmake keeps the _exit that tells of exits from a body.
[[noreturn]] void hocket_guarded_exit(int status);

// atexit() comes here too.
int __cxa_atexit(void (*destructor)(void*), void* object, void* module) noexcept;
int __cxa_atexit(void (*destructor)(void*), void* object, void* module) noexcept {
  if (!is_from_body()) return HOCKET_REAL(__cxa_atexit)(destructor, object, module);
  // The statics of libraries are not made anew in each execution, so they must outlive it.
  if (module != nullptr && module != &__dso_handle) return 0;
  const hocket::runtime::OwnMemory own;
  handlers().push_back({destructor, object});
  return 0;
}

void exit(int status) noexcept {
  if (is_from_body() && end_whole_program != nullptr) {
    HOCKET_CALLED_FROM_BODY();
    end_whole_program(status, ExitManner::with_handlers);
  }
  HOCKET_REAL(exit)(status);
  std::abort();  // not reached
}
void _exit(int status) {
  if (is_from_body() && end_whole_program != nullptr) {
    HOCKET_CALLED_FROM_BODY();
    end_whole_program(status, ExitManner::at_once);
  }
  hocket_guarded_exit(status);
}
void _Exit(int status) noexcept {
  _exit(status);
}

}  // extern "C"
