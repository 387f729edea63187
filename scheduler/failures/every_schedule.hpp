// Whether a failure that the very first schedule shows is one of the order of threads at all.
#pragma once

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/failure.hpp"
#include "../replays/exploration.hpp"

namespace hocket {

/// Runs the body under some random schedules, for some tenths of a second at most. If all of them fail with
/// the kind and the signature of `failure`, returns under how many schedules that makes, together with the
/// one that it came from. Otherwise, and if there was no time for more than a few, returns 0. So it does for
/// data races, which are found in most schedules, and for failures that would end this process.
unsigned schedules_that_all_fail(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure);

}  // namespace hocket
