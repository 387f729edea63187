// Restore::fork: each execution of a search in a child process.
#pragma once

#include <functional>

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/execution/execution_result.hpp"
#include "../../runtime/platform/ending.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../api/options.hpp"

namespace hocket {

/// Whether a search with these options runs in child processes in this program. Replays do not, because a
/// debugger may be attached.
bool makes_children(const Options& options);

/// Runs one execution in a child process. `shows_output`: what the body prints is to be seen.
runtime::ExecutionResult run_in_child(const std::function<void()>& body, bool shows_output,
    runtime::Chooser& chooser, const runtime::ExecutionOptions& options);

/// Tells how the child in which an execution ran has ended, unless it could do so itself. Then begins the
/// program anew, or ends this process in the same way.
[[noreturn]] void end_as_child_did(const runtime::platform::Ending& ending);

}  // namespace hocket
