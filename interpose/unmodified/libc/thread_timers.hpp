// Timers of timer_create() that call a function of the program, each time in a thread of its own
// (SIGEV_THREAD). All others are the system's.
//
// Such a timer is one of timer_files.hpp and a thread that reads it: it starts another one whenever the timer
// has expired, and ends when the timer is deleted, or when the body has returned. A function that was called
// before may still run then, as on Linux.
#pragma once

namespace hocket::unmodified {

/// Called in the body's thread when it has returned.
void end_thread_timers();
/// Called at the beginning of an execution.
void forget_thread_timers();

}  // namespace hocket::unmodified
