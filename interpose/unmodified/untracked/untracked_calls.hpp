// Calls on state that Hocket does not follow (calls.txt), and whether two threads make them at the same time.
#pragma once

namespace hocket::unmodified {

/// Called at the beginning of a search and of an execution.
void forget_found_untracked_calls();
void forget_untracked_calls();

}  // namespace hocket::unmodified
