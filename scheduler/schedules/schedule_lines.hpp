// The lines of a shown schedule before they are laid out in columns. Private to schedule_text.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "schedule.hpp"
#include "step_table.hpp"

namespace hocket {

/// The lines of the choices [begin, end), counted from 0: preemptions, operations with their results,
/// accesses, and the failure.
std::vector<StepLine> lines_of(const Schedule& schedule, std::size_t begin, std::size_t end);

/// Steps that repeat before `end`; none if `rounds` is 0.
struct Repetition {
  std::size_t length = 0;
  std::size_t rounds = 0;
};
Repetition repetition_before(const Schedule& schedule, std::size_t end);

/// The choice at which the schedule fails: the one marked in the trace, or else the last one.
std::size_t failing_choice(const Schedule& schedule);

}  // namespace hocket
