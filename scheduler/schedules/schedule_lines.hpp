// The lines of a shown schedule before they are laid out in columns. Private to schedule_text.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schedule.hpp"
#include "step_table.hpp"

namespace hocket {

/// The lines of choice `n`, counted from 0: a preemption, the operation with its result, accesses, and the
/// failure, which is at choice `failing`. The choice of a store has no line of its own; a stale one has a
/// line below its step.
std::vector<StepLine> lines_of(const Schedule& schedule, std::size_t n, std::size_t failing);

/// The lines for what is no step, after the first `choices` choices: the accesses of a data race, and, where
/// the execution fails, at choice `failing`, what the threads of a deadlock wait for.
std::vector<StepLine> lines_after(const Schedule& schedule, std::size_t choices, std::size_t failing);

/// "FAILS: a job was lost", the last line.
StepLine failure_line(unsigned thread, std::string_view message);

/// "stale: step 13 stored 1" or "reads the newest value", for a choice of a store.
std::string text_of_store(const runtime::RecordedChoice& choice);

}  // namespace hocket
