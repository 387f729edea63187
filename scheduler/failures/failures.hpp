// Runs the failures that a search finds again, and records, saves and reports them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/terms/action_hash.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../replays/exploration.hpp"
#include "../schedules/schedule.hpp"
#include "../strategies/strategy.hpp"
#include "minimizer.hpp"

namespace hocket {

/// A schedule of this search, with everything that does not depend on the execution.
Schedule describe(const Exploration& exploration);

/// Stores the failure of the recorded execution, and its steps, in `schedule`.
void describe_failure(Schedule& schedule, const runtime::Failure& failure, const runtime::Trace& trace);

/// Reports a failure, and saves its schedule unless it comes from the file `already_saved_in`.
void add_failure(
    Exploration& exploration, Schedule schedule, std::string output, const std::string& already_saved_in);

/// Puts failures that are more likely to be the cause of others first, and those that are told in short last.
void sort_by_cause(std::vector<FoundFailure>& failures);

/// Runs the class of the execution that has just failed in another order. If this fails too, `codes` become
/// the codes of that order. `hash` is the hash of the class.
void reorder(Exploration& exploration, const std::vector<OrderedChoice>& order,
    const runtime::ClassHash& hash, std::vector<std::uint16_t>& codes);

/// A failed execution that was run once more and recorded.
struct RecordedFailure {
  runtime::ExecutionResult result;  ///< without its log
  runtime::Failure failure;
  Schedule schedule;
  std::string output;  ///< what the body printed
};

/// Replaces `recorded`, which followed `codes` under `options`, by an execution that fails in the same way
/// and is easier to understand, if there is one. Returns a number of preemptions: every schedule with fewer
/// was run, and none fails in this way.
unsigned make_shorter(Exploration& exploration, const runtime::ExecutionOptions& options,
    const std::vector<std::uint16_t>& codes, const MinimizeBudget& budget, RecordedFailure& recorded);

/// Whether a suppression matches the failure, which the last execution has recorded. If so, it is counted.
bool is_suppressed(Exploration& exploration, const runtime::Failure& failure);

/// Says in the schedule of `recorded`, which ran under `options`, why it needs its preemptions. Takes a
/// second at most, and no longer than minimizing may take.
void explain(
    const Exploration& exploration, const runtime::ExecutionOptions& options, RecordedFailure& recorded);

/// Runs the execution that has just failed again and records it, to have steps to show and to be certain that
/// the failure recurs. If it does not, the verdict becomes nondeterministic. A failure that is already known
/// is ignored, and one that is suppressed is counted and not reported. `codes` and `hash` are those of the
/// failed execution. If the budget leaves time, a shorter schedule with this failure is recorded instead.
void record_failure(Exploration& exploration, const std::vector<std::uint16_t>& codes,
    const runtime::ClassHash& hash, const MinimizeBudget& budget);

}  // namespace hocket
