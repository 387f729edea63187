// Where a call by the program's code comes from. A call from the body of an execution is controlled; any
// other call is passed on to the system.
#pragma once

#include <cassert>
#include <cerrno>
#include <cstdint>

#include "../../../runtime/execution/step.hpp"
#include "next_symbol.hpp"
#include "stacks.hpp"

namespace hocket::unmodified {

/// Whether the call comes from the body of an execution. False for calls from outside a search, for calls
/// from the search and the runtime themselves (also where the C++ library calls on their behalf), and for
/// calls from an execution that is being ended.
[[gnu::always_inline]] inline bool is_from_body() {
  return runtime::is_controlled() && runtime::run.own_memory == 0;
}

/// The stack pointer, as a number, of the code that called the function in which this macro is used.
#ifdef __clang__
#define HOCKET_STACK_POINTER \
  (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void*))
#else
#define HOCKET_STACK_POINTER (reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()))
#endif

[[gnu::always_inline]] inline void called_from_body(const void* caller, std::uintptr_t stack_pointer) {
  assert(runtime::is_on_body());
  runtime::InstrumentedThread& self = runtime::run.current->instrumented;
  self.caller = caller;
  self.entered_from = caller;
  self.entered_at = stack_pointer;
  Stacks::came_to(stack_pointer);
}

/// Records the code that called the function in which this macro is used, as the place on whose behalf the
/// runtime works.
#define HOCKET_CALLED_FROM_BODY() \
  ::hocket::unmodified::called_from_body(__builtin_return_address(0), HOCKET_STACK_POINTER)

/// The first statement of a function that is interposed for bodies: passes any other call on to the system's
/// function, whose arguments follow its name, and records the caller of the body's.
#define HOCKET_ENTRY(function, ...) HOCKET_ENTRY_OR(HOCKET_REAL(function)(__VA_ARGS__))
/// The same for a function that itself makes no step, and so needs no caller.
#define HOCKET_ENTRY_WITHOUT_STEP(function, ...) \
  if (!::hocket::unmodified::is_from_body()) return HOCKET_REAL(function)(__VA_ARGS__)
/// As HOCKET_ENTRY where there is no such function: any other call returns the value of the expression.
#define HOCKET_ENTRY_OR(...)                                     \
  if (!::hocket::unmodified::is_from_body()) return __VA_ARGS__; \
  HOCKET_CALLED_FROM_BODY()

/// Reports failure the way system functions do: sets errno and returns -1.
inline int fail_with(int error) {
  errno = error;
  return -1;
}

}  // namespace hocket::unmodified
