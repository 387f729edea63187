// Where the calling thread is, for the last message of a process.
#pragma once

#include <string_view>

namespace hocket::runtime::platform {

/// A function on a stack.
struct StackLine {
  std::string_view function;
  std::string_view file;
  unsigned line = 0;
};

/// Writes the functions of the calling stack whose lines are known to `file`, innermost first, one in a line
/// for take_stack_line(). Allocates nothing, so that it can be called in a signal handler of a process that
/// is about to end. It starts hocket-debug-info and waits for its answers, for a few seconds at most.
void put_stack(int file);

/// Removes the first line from `text`, which put_stack() has written.
StackLine take_stack_line(std::string_view& text);

/// Prints those lines of `stack`, which put_stack() has written, that are in the user's code, under a
/// heading; prints nothing if there are none. Allocates nothing.
void put_stack_lines(int file, std::string_view stack);

}  // namespace hocket::runtime::platform
