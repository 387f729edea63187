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

}  // namespace hocket
