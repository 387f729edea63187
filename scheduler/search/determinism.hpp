// Detects and explains bodies that behave differently under the same schedule.
#pragma once

#include "../../runtime/execution/execution_result.hpp"
#include "../replays/exploration.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

class LockOrders;

/// Whether the execution that just ran does the same when it is run again. If not, this sets the verdict.
/// With `orders` the second run notes callers (see ExecutionOptions) and is observed.
[[nodiscard]] bool recurs(
    Exploration& exploration, const runtime::ExecutionResult& result, LockOrders* orders);

/// Explains why the execution that `strategy` prepared last did not reach the point where it was to branch
/// off from its parent, or found something else there. Both are run again and recorded, to find the step at
/// which they diverge. `codes` are the choices of the execution until then.
void explain_divergence(
    Exploration& exploration, const Strategy& strategy, const std::vector<std::uint16_t>& codes);

}  // namespace hocket
