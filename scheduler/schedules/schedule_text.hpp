// Schedules as text for a terminal: what went wrong, and one column per thread.
#pragma once

#include <cstddef>
#include <string>

#include "schedule.hpp"

namespace hocket {

struct RenderOptions {
  std::size_t max_rows = 40;  ///< steps to show, those that end in the failure; 0: all
  std::size_t width = 110;    ///< columns of the terminal
  bool color = false;         ///< ANSI escapes: preemptions yellow, the failure red
};

/// The execution as a table: a row for each step, a column for each thread that makes one, preemptions
/// marked. Where the columns would be too narrow or too many, a list with the thread's name before each step.
/// Lines end with '\n' and contain nothing that could command a terminal, whatever the schedule holds.
std::string render(const Schedule& schedule, const RenderOptions& options = {});

/// What broke and where, for example "check failed: an item was taken twice\n  at queue_test.cpp:57". Further
/// lines of the message are kept and indented. Does not end with '\n'. With `color` what broke is red.
std::string headline(const Schedule& schedule, bool color = false);

/// A signal as messages name it, for example "SIGSEGV" or "signal 99".
std::string signal_name(int signal);

}  // namespace hocket
