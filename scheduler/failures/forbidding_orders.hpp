// Says which memory orders would forbid a failure that comes of an older value.
#pragma once

#include <chrono>
#include <string>

#include "../replays/exploration.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// Searches the body once more with stronger memory orders than it asks for, up to the bound of `schedule`,
/// which fails under `options` and reads an older value. Tries one change at first, then two, then all.
/// Returns what makes the failures go away: "release for atomic.store of ready at q.cpp:10, and acquire for
/// atomic.load of ready at q.cpp:13". Empty if nothing does that could be tried before the deadline.
std::string orders_that_forbid(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const Schedule& schedule, std::chrono::steady_clock::time_point deadline);

}  // namespace hocket
