// How a call of the program's code comes in: from a body, to be controlled; or from anywhere else, to be
// passed on.
#pragma once

#include <cerrno>
#include <cstdint>

#include "../../../runtime/execution/execution.hpp"
#include "stacks.hpp"

namespace hocket::unmodified {

/// Whether the call comes from the body of an execution. Not so: calls from outside any search, from the
/// search and the runtime themselves (which the C++ library makes on their behalf), and from an execution
/// that is being ended.
[[gnu::always_inline]] inline bool is_from_body() {
  return runtime::is_controlled() && runtime::execution.own_memory == 0;
}

/// The stack pointer of the code that called the function in which this stands, as a number.
#ifdef __clang__
#define HOCKET_STACK_POINTER \
  (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void*))
#else
#define HOCKET_STACK_POINTER (reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()))
#endif

[[gnu::always_inline]] inline void called_from_body(const void* caller, std::uintptr_t stack_pointer) {
  runtime::Thread& self = *runtime::execution.current;
  self.caller = caller;
  self.entered_from = caller;
  self.entered_at = stack_pointer;
  Stacks::came_to(stack_pointer);
}

/// Notes for whom the runtime works: the code that called the function in which this stands.
#define HOCKET_CALLED_FROM_BODY() \
  ::hocket::unmodified::called_from_body(__builtin_return_address(0), HOCKET_STACK_POINTER)

/// As functions of the system say that they have failed.
inline int fail_with(int error) {
  errno = error;
  return -1;
}

}  // namespace hocket::unmodified
