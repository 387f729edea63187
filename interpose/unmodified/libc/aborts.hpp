// Checks that end a program where they fail, as failures of an execution.
#pragma once

#include <cstddef>

namespace hocket::unmodified {

/// Fails the execution if `function`, called by a body, is about to write `size` bytes to an object of which
/// the compiler knows that it has `room` bytes (_FORTIFY_SOURCE).
void fail_if_too_small(const char* function, std::size_t size, std::size_t room);

}  // namespace hocket::unmodified
