// Notices instrumented code that was compiled without Hocket's headers of cmake/libstdcxx, in a build that
// does not use hocket_instrument().
#pragma once

namespace hocket::unmodified {

/// Prints a warning if the program has instrumented code in which semaphores, latches, barriers or atomics
/// wait as the C++ library's own headers have it. Such code looks at an atomic many times before it waits,
/// and each look is a step.
///
/// Looks at the symbols of the program and, if those are suspicious, at its machine code. So code that waits
/// like that without hooks is not meant, nor is instrumented code that does not wait.
void warn_of_library_waits();

}  // namespace hocket::unmodified
