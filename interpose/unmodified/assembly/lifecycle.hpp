// What the parts of this library do when a search, an execution or a logical thread begins, or when an
// execution ends. There is one ordered list of these actions. Every part that keeps data from one execution
// to the next must have a row in it.
#pragma once

#include "../../../runtime/execution/execution_options.hpp"
#include "../../../runtime/threads/thread.hpp"

namespace hocket::unmodified::lifecycle {

void begin_search();
void begin_execution(const runtime::ExecutionOptions& options);
void begin_thread(runtime::Thread& thread);
void end_execution(const runtime::ExecutionOptions& options);

/// Takes a snapshot of the program's memory at the first call of a search, and restores it at later calls.
void begin_with_same_memory();

}  // namespace hocket::unmodified::lifecycle
