// The file descriptors that a body's own code opens. What an execution leaves open is closed when it is over:
// thousands of executions would run out of descriptors, and a lock of a file would be held in the next one.
#pragma once

#include "../../../runtime/execution/execution_options.hpp"

namespace hocket::unmodified {

/// To be called after `caller`, a place in the code, has got a descriptor from the system; -1 for none.
/// Returns it. Those of libraries without hooks are left alone, except the C++ library's: such libraries keep
/// what they open.
int note_opened(int descriptor, const void* caller);

/// To be called after Hocket has got one for a call of the body.
void note_opened_for_body(int descriptor);

/// Whether the running execution has opened it.
bool is_opened_by_body(int descriptor);

/// To be called before a descriptor is closed.
void note_closed(int descriptor);

/// Called when an execution is over. If nothing is restored, those of an execution that came to its end stay.
void close_descriptors_of_body(const runtime::ExecutionOptions& options);

}  // namespace hocket::unmodified
