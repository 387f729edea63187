// Searches a body once more under other rules, to learn whether a failure comes from what they change.
#pragma once

#include <chrono>

#include "exploration.hpp"

namespace hocket {

/// Whether all executions under these rules, up to `bound`, pass. False also if the deadline comes before, or
/// there are more than 20 000.
bool passes_in_full(const Exploration& exploration, runtime::ExecutionOptions rules, unsigned bound,
    std::chrono::steady_clock::time_point deadline);

}  // namespace hocket
