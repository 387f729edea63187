// Runs the failures that a search finds again, and records, saves and reports them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../schedules/schedule.hpp"
#include "../strategies/strategy.hpp"
#include "exploration.hpp"

namespace hocket {

/// The schedule of an execution that ended in `failure`.
Schedule describe(
    const Exploration& exploration, const runtime::Failure& failure, const runtime::Trace& trace);

/// Stores the failure of the recorded execution, and its steps, in `schedule`.
void describe_failure(Schedule& schedule, const runtime::Failure& failure, const runtime::Trace& trace);

/// Reports a failure, and saves its schedule unless it comes from the file `already_saved_in`.
void add_failure(
    Exploration& exploration, Schedule schedule, std::string output, const std::string& already_saved_in);

/// Runs the class of the execution that has just failed in another order. If this fails too, `codes` become
/// the codes of that order. `hash` is the hash of the class.
void reorder(Exploration& exploration, const std::vector<OrderedChoice>& order,
    const runtime::ClassHash& hash, std::vector<std::uint16_t>& codes);

/// Runs the execution that has just failed again and records it, to have steps to show and to be certain that
/// the failure recurs. If it does not, the verdict becomes nondeterministic. A failure that is already known
/// is ignored. `codes` and `hash` are those of the failed execution.
void record_failure(
    Exploration& exploration, const std::vector<std::uint16_t>& codes, const runtime::ClassHash& hash);

}  // namespace hocket
