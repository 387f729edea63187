// How a call of the program's code comes in: from a body, to be controlled; or from anywhere else, to be
// passed on.
#pragma once

#include <cerrno>

#include <hocket/runtime/execution.hpp>

namespace hocket::unmodified {

/// Whether the call comes from the body of an execution. Not so: calls from outside any search, from the
/// search and the runtime themselves (which the C++ library makes on their behalf), and from an execution
/// that is being ended.
[[gnu::always_inline]] inline bool is_from_body() {
  return runtime::is_controlled() && runtime::execution.own_memory == 0;
}

/// Notes for whom the runtime works: the code that called the function in which this stands.
#define HOCKET_CALLED_FROM_BODY() (::hocket::runtime::execution.current->caller = __builtin_return_address(0))

/// As functions of the system say that they have failed.
inline int fail_with(int error) {
  errno = error;
  return -1;
}

}  // namespace hocket::unmodified
