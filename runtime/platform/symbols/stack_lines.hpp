// Where in the user's code the calling thread is, for the last words of a process.
#pragma once

namespace hocket::runtime::platform {

/// Prints the calling stack's lines of the user's code to `file`, innermost first, under a heading; nothing
/// where none are known. Allocates nothing, so that it can be called in a signal handler of a process that is
/// about to end: what it needs to know it asks addr2line, which it starts and waits for, for some seconds at
/// most.
void put_stack_lines(int file);

}  // namespace hocket::runtime::platform
