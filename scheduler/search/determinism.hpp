// A body must do the same under the same schedule. What tells of one that does not.
#pragma once

#include "../../runtime/execution/execution.hpp"
#include "../strategies/strategy.hpp"
#include "exploration.hpp"

namespace hocket {

/// Whether the execution just made does the same when it is run again. If not, the verdict says so.
/// `notes_callers`: of the second run, see ExecutionOptions.
[[nodiscard]] bool recurs(
    Exploration& exploration, const runtime::ExecutionResult& result, bool notes_callers);

/// The execution that `strategy` prepared last was to branch off from its parent, but did not get there or
/// found something else there. Both are run again, recorded, to find the step at which they part.
/// `codes` are what it chose until then.
void explain_divergence(
    Exploration& exploration, const Strategy& strategy, const std::vector<std::uint16_t>& codes);

}  // namespace hocket
