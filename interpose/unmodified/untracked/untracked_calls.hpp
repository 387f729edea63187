// Calls on state that Hocket does not follow (calls.txt), and whether two threads make them at the same time.
#pragma once

namespace hocket::unmodified {

/// To be called for a call of `function` from the program, on the regular file behind the descriptor, if it
/// is one. `caller`: where the call returns to.
void note_untracked_on_file(const char* function, int descriptor, bool changes, const void* caller);

/// Called at the beginning of a search and of an execution.
void forget_found_untracked_calls();
void forget_untracked_calls();

}  // namespace hocket::unmodified
