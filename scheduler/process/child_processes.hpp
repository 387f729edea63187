// Restore::fork: each execution of a search in a child process.
#pragma once

#include "../api/options.hpp"

namespace hocket {

/// Whether a search with these options runs in child processes in this program. Replays do not, because a
/// debugger may be attached.
bool makes_children(const Options& options);

/// Begins the program anew, or ends this process in the same way as the child in which an execution ran.
/// `status` is from waitpid(). The child ended by itself and has reported why if it could.
[[noreturn]] void end_as_child_did(int status);

}  // namespace hocket
