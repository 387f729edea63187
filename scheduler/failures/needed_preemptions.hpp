// Says what each preemption of a failing schedule is for: what happens without it.
#pragma once

#include <chrono>

#include "../../runtime/terms/failure.hpp"
#include "../replays/exploration.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// Runs the body without each of the last preemptions of `schedule` in turn, which fails under `options` with
/// the kind and the signature of `failure`, and stores what came of it in Schedule::why: "Without this
/// preemption the test passes: step 9, mutex.lock of log by thread 1, then comes before step 6, mutex.lock by
/// main." Nothing is said of a preemption whose turn does not come before the deadline, nor of any if the
/// failure does not come again.
void explain_preemptions(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure, std::chrono::steady_clock::time_point deadline, Schedule& schedule);

}  // namespace hocket
