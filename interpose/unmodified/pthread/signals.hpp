// The signals of logical threads: which ones each thread blocks, which are sent to it, and which it waits
// for.
//
// A signal is modelled if its thread blocks it or waits for it. A signal that is not blocked would run its
// handler in the middle of whatever the thread does, which is not modelled. The exception is a signal that a
// thread sends to itself, because then the place of the interruption is known.
#pragma once

#include "../../../runtime/threads/thread.hpp"

namespace hocket::unmodified {

/// Whether signals have been used in this execution.
extern constinit bool are_signals_in_use;

/// Sets up the signals of a thread that `thread.creator` has created, or of the body's own thread, which has
/// no creator.
void begin_signals_slowly_of(const runtime::Thread& thread);
inline void begin_signals_of(const runtime::Thread& thread) {
  if (are_signals_in_use) [[unlikely]]
    begin_signals_slowly_of(thread);
}

}  // namespace hocket::unmodified
