// The signals of logical threads: which ones they block, which are sent to them, and who waits for one.
//
// A signal that its thread blocks or waits for is modelled. One that is not blocked runs its handler in the
// middle of whatever the thread does, which is not: a thread may send it to itself, since then it is known
// where.
#pragma once

#include "../../../runtime/threads/thread.hpp"

namespace hocket::unmodified {

/// Whether there has been anything with signals in this execution.
extern constinit bool are_signals_in_use;

/// A thread has been created, by `thread.creator` unless it is the body's own.
void begin_signals_slowly_of(const runtime::Thread& thread);
inline void begin_signals_of(const runtime::Thread& thread) {
  if (are_signals_in_use) [[unlikely]]
    begin_signals_slowly_of(thread);
}

}  // namespace hocket::unmodified
