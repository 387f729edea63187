// Where in the user's code the calling thread is, for the last message of a process.
#pragma once

namespace hocket::runtime::platform {

/// Prints the calling stack's lines of the user's code to `file`, innermost first, under a heading; prints
/// nothing if none are known. Allocates nothing, so that it can be called in a signal handler of a process
/// that is about to end. It starts addr2line and waits for its answers, for a few seconds at most.
void put_stack_lines(int file);

}  // namespace hocket::runtime::platform
