// Executions in child processes: whatever the body does to its process disappears with that process.
//
// While an execution runs, the search continues in the child; afterwards it returns to the parent. That works
// because all of Hocket's data is in memory that both share, including the search's stack. The exception is
// Hocket's global variables, which are copied back when the child ends. So strategies and reports do not
// depend on this mode. The data of the body (its heaps, stacks and thread control blocks) is private to each
// child, and in the parent nothing ever writes to it.
#pragma once

#include <functional>

#include "../../../runtime/execution/execution_options.hpp"
#include "../../../runtime/platform/ending.hpp"

namespace hocket::unmodified {

/// These implement the functions of HostSearches of the same names.
void share_with_children(
    const std::function<void()>& search, void (*ended)(const runtime::platform::Ending& ending));
void begin_child(const runtime::ExecutionOptions& options);
void end_child();

}  // namespace hocket::unmodified
