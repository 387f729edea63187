// The file descriptors that a body's own code opens. What an execution leaves open is closed when it is over:
// thousands of executions would run out of descriptors, and a lock of a file would be held in the next one.
#pragma once

namespace hocket::unmodified {

/// To be called after `caller`, a place in the code, has got a descriptor from the system; -1 for none.
/// Returns it. Those of libraries without hooks are left alone: such libraries keep what they open.
int note_opened(int descriptor, const void* caller);

/// To be called after Hocket has got one for a call of the body.
void note_opened_for_body(int descriptor);

/// To be called before a descriptor is closed.
void note_closed(int descriptor);

void close_descriptors_of_body();

}  // namespace hocket::unmodified
