// Restore::fork: each execution of a search in a child process.
#pragma once

#include "../api/options.hpp"

namespace hocket {

/// Whether a search with these options does so, in this program. Replays do not: a debugger may look on.
bool makes_children(const Options& options);

/// The child in which an execution ran has ended by itself, with this status of waitpid(), and has said why
/// if it could. Ends this process in the same way.
[[noreturn]] void end_as_child_did(int status);

}  // namespace hocket
