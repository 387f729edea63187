// Runs correct programs and lets the caller inspect each execution, which explore() does not allow.
#pragma once

#include <functional>

#include "runtime/execution/execution.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace measure {

/// Called for each execution. The log is valid until the next one. Returns whether to continue.
using Visit = std::function<bool(const hocket::runtime::ExecutionResult& result)>;

/// Runs `body` under the schedules of `strategy` until `visit` returns false or there are none left; returns
/// true in the latter case. Executions that a reduction has cut short are visited, too. `observer` receives
/// the events of all executions. Throws std::runtime_error if an execution fails or the body is not
/// deterministic, because only correct programs are measured.
bool visit_executions(const std::function<void()>& body, hocket::Strategy& strategy,
    hocket::runtime::Observer& observer, const Visit& visit);

/// The total price of the choices of an execution.
unsigned preemptions_of(const hocket::runtime::ChoiceLog& log);

}  // namespace measure
