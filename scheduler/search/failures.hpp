// The failures that a search meets: run again, recorded, saved, reported.
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

/// Writes into `schedule` what went wrong in the recorded execution, and its steps.
void describe_failure(Schedule& schedule, const runtime::Failure& failure, const runtime::Trace& trace);

/// Reports a failure, and saves its schedule unless it comes from the file `already_saved_in`.
void add_failure(
    Exploration& exploration, Schedule schedule, std::string output, const std::string& already_saved_in);

/// Runs the class of the execution that has just failed in another order. If it fails there too, `codes`
/// become those of that order. `hash` is that of the class.
void reorder(Exploration& exploration, const std::vector<OrderedChoice>& order,
    const runtime::ClassHash& hash, std::vector<std::uint16_t>& codes);

/// The execution that has just failed is run again, recorded: only then is there something to show, and it is
/// certain that it recurs. One that does not makes the verdict nondeterministic; one that is known is passed
/// over. `codes` and `hash` are those of the failed execution.
void record_failure(
    Exploration& exploration, const std::vector<std::uint16_t>& codes, const runtime::ClassHash& hash);

}  // namespace hocket
