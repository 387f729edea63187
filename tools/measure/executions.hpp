// Runs correct programs for those who want to look at each execution, which explore() does not let them.
#pragma once

#include <functional>

#include "runtime/execution/execution.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace measure {

/// Told of an execution, whose log is valid until the next; returns whether to go on.
using Visit = std::function<bool(const hocket::runtime::ExecutionResult& result)>;

/// Runs `body` under the schedules of `strategy` until `visit` returns false, or until there are none left:
/// then returns true. Runs that a reduction has cut short are visited, too. `observer` hears of the events of
/// them all.
/// Throws std::runtime_error when an execution fails, or when the body is not deterministic: what is measured
/// are correct programs.
bool visit_executions(const std::function<void()>& body, hocket::Strategy& strategy,
    hocket::runtime::Observer& observer, const Visit& visit);

/// What the choices of an execution cost together.
unsigned preemptions_of(const hocket::runtime::ChoiceLog& log);

}  // namespace measure
