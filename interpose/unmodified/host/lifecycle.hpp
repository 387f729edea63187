// What the parts of this library do when a search, an execution or a logical thread begins, or an execution
// ends: one list, in order. A part that keeps anything from one execution to the next has its row there.
#pragma once

#include "../../../runtime/execution/execution_options.hpp"
#include "../../../runtime/threads/thread.hpp"

namespace hocket::unmodified::lifecycle {

void begin_search();
void begin_execution(const runtime::ExecutionOptions& options);
void begin_thread(runtime::Thread& thread);
void end_execution(const runtime::ExecutionOptions& options);

/// Notes what the program's memory holds, at the first call of a search, and puts that back at later ones.
void begin_with_same_memory();

}  // namespace hocket::unmodified::lifecycle
