// Waiting for signals.
#pragma once

#include <csignal>
#include <cstdint>

#include "signal_sets.hpp"

namespace hocket::unmodified::signals {

/// Like sigtimedwait: waits for one of `set` for so many virtual nanoseconds, or runtime::kForever.
/// Returns the signal, or -1 with errno EAGAIN. `info` may be nullptr.
int wait_for(const sigset_t* set, siginfo_t* info, std::int64_t nanoseconds);
/// Waits for a signal that is not in `blocked`, and runs its handler. Returns -1 with errno EINTR.
int wait_for_handler(SignalSet blocked);

}  // namespace hocket::unmodified::signals
