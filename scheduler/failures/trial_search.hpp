// Runs a body once more to learn what a failure comes from: under other rules, or in other orders.
#pragma once

#include <chrono>

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../replays/exploration.hpp"

namespace hocket {

/// Whether all executions under these rules, up to `bound`, pass. False also if the deadline comes before, or
/// there are more than 20 000.
bool passes_in_full(const Exploration& exploration, runtime::ExecutionOptions rules, unsigned bound,
    std::chrono::steady_clock::time_point deadline);

/// Runs the body under some random schedules, for some tenths of a second at most. If all of them fail with
/// the kind and the signature of `failure`, returns under how many schedules that makes, together with the
/// one that it came from. Otherwise, and if there was no time for more than a few, returns 0. So it does for
/// data races, which are found in most schedules, and for failures that would end this process.
unsigned schedules_that_all_fail(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure);

}  // namespace hocket
