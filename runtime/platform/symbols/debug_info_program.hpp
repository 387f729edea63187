// The program hocket-debug-info, run as a separate process.
#pragma once

#include "socket_program.hpp"

namespace hocket::runtime::platform {

/// Starts hocket-debug-info for questions about this process: the one that the environment variable
/// HOCKET_DEBUG_INFO names, or the one that was built or installed with this library, or the one in PATH.
/// Returns whether there is one. Uses no heap memory, so that a signal handler can call it in a process that
/// is about to end.
bool start_debug_info(SocketProgram& program);

/// The last program that was found there and not run, as others than root and the user could have changed it;
/// nullptr: none.
[[nodiscard]] const char* refused_debug_info();

/// Whether it was looked for, and is in none of the places where an installation has it.
[[nodiscard]] bool is_debug_info_in_no_place();

/// Starts it in the same way to tell the source files of `binary`: it sends their paths, a line each, and
/// ends.
bool start_listing_sources(SocketProgram& program, const char* binary);

}  // namespace hocket::runtime::platform
