// Executions in child processes: whatever the body does to its process is gone afterwards.
//
// The search goes on in the child while an execution runs, and comes back: all that Hocket keeps is in memory
// that both share, its stack included, but for its global variables, which are copied when the child ends. So
// strategies and reports know nothing of it. What belongs to the body, its heaps, stacks and thread control
// blocks, is each child's own, and in the parent nobody ever writes to it.
#pragma once

#include <functional>

#include "../../../runtime/execution/execution_options.hpp"

namespace hocket::unmodified {

/// As a ThreadHost has them.
void share_with_children(const std::function<void()>& search, void (*ended)(int status));
void begin_child(const runtime::ExecutionOptions& options);
void end_child();

}  // namespace hocket::unmodified
