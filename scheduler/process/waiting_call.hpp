// What an OS thread of this process does, seen from outside: the thread is not disturbed.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

#include <sys/types.h>

namespace hocket {

enum class Activity {
  unknown,  ///< the system does not tell
  runs,
  waits  ///< in a call of the system
};

struct WhatThreadDoes {
  Activity activity = Activity::unknown;
  long call = 0;  ///< the number of that call
};

/// Makes only calls of the system that do not go through libc.
WhatThreadDoes what_thread_does(pid_t thread);

/// Of `elapsed`, the time in which the thread had a processor, which is `used`, or needed none, since it
/// waited in a call. On a busy machine a thread may get none for seconds. Likewise.
std::chrono::nanoseconds own_time(
    pid_t thread, std::chrono::nanoseconds elapsed, std::chrono::nanoseconds used);

/// Whether a debugger holds this process. Likewise.
bool is_process_traced();

/// The function with which a program makes the call, such as "poll()".
std::string_view name_of_call(long number);

}  // namespace hocket
