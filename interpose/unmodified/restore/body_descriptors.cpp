#include "body_descriptors.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../host/next_symbol.hpp"
#include "../host/system_library.hpp"
#include "instrumented_objects.hpp"
#include "kept_states.hpp"

namespace hocket::unmodified {

namespace {

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit std::vector<int>* open_ones = nullptr;

bool may_have_to_be_closed() {
  return is_from_body() && !runtime::run.options.own_process;
}

}  // namespace

int note_opened(int descriptor, const void* caller) {
  if (descriptor > STDERR_FILENO && (is_instrumented_code(caller) || is_in_cxx_library(caller)))
    note_opened_for_body(descriptor);
  return descriptor;
}

void note_opened_for_body(int descriptor) {
  if (!may_have_to_be_closed()) return;
  const runtime::OwnMemory own;
  if (open_ones == nullptr) open_ones = new std::vector<int>;
  if (std::find(open_ones->begin(), open_ones->end(), descriptor) == open_ones->end())
    open_ones->push_back(descriptor);
}

bool is_opened_by_body(int descriptor) {
  return open_ones != nullptr &&
         std::find(open_ones->begin(), open_ones->end(), descriptor) != open_ones->end();
}

void note_closed(int descriptor) {
  if (open_ones == nullptr || open_ones->empty() || !may_have_to_be_closed()) return;
  const runtime::OwnMemory own;
  std::erase(*open_ones, descriptor);
}

void close_descriptors_of_body(const runtime::ExecutionOptions& options) {
  if (open_ones == nullptr || options.own_process) return;
  if (is_to_be_given_back(options)) {
    for (const int descriptor : *open_ones) HOCKET_REAL(close)(descriptor);
  }
  open_ones->clear();
}

}  // namespace hocket::unmodified
