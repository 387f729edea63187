// Schedules as text for a terminal: what went wrong, and one column per thread.
#pragma once

#include <cstddef>
#include <string>

#include "schedule.hpp"
#include "step_table.hpp"

namespace hocket {

/// The execution as a table with a row for each step and a column for each thread that makes one. Preemptions
/// are marked. If the columns would be too narrow or too many, the result is a list with the thread's name
/// before each step. Lines end with '\n' and never contain terminal control characters from the schedule.
std::string render(const Schedule& schedule, const RenderOptions& options = {});

/// What failed and where, for example "check failed: an item was taken twice\n  at queue_test.cpp:57".
/// Further lines of the message are kept and indented. The text does not end with '\n'. With `color`, the
/// failure is red. Lines are broken at `width` columns, 0: never; those that a test framework has laid out
/// are left as they are.
std::string headline(const Schedule& schedule, bool color = false, unsigned width = 0);

/// The stacks of the schedule, each under its title, in lines of at most `width` columns. Calls that a stack
/// has in common with the one before are told once. Begins with an empty line, or is empty if there are no
/// stacks.
std::string stacks_text(const Schedule& schedule, std::size_t width);

}  // namespace hocket
