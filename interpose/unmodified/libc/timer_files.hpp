// Timers of timerfd that a body makes: they expire in virtual time.
//
// The descriptor is one of the system's timers, which the system itself never lets expire. When the virtual
// clock has reached the time of a timer, and a call looks at it, Hocket has the system's timer expire at
// once; so poll(), epoll_wait() and read() find what they should. Until then a call that waits for the timer
// is a timed wait. Which timer is behind a descriptor, also behind a copy (dup), the system's timer tells
// itself: by its interval, which is so long that it never matters.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>

#include <poll.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace hocket::unmodified {

/// What timerfd_create(), timerfd_settime() and timerfd_gettime() do, in a body, for `function`, which is
/// what reports call it.
int make_timer(const char* function, clockid_t clock, int flags);
int set_timer(const char* function, int descriptor, int flags, const itimerspec& time, itimerspec* before);
int get_timer(const char* function, int descriptor, itimerspec* time);
/// How many expirations were read last, less one.
int overruns_of(const char* function, int descriptor);
/// A step after which the descriptor is one of no timer of the body, and can be read at once. Fails with
/// EBADF if it was none before.
int delete_timer(const char* function, int descriptor);

bool is_timer_of_body(int descriptor);

/// When the next of the timers among the files, or among what those of epoll watch, expires, in virtual
/// nanoseconds; no value if none will. Part of a step on the open files.
std::optional<std::int64_t> next_expiry(std::span<const pollfd> files);

/// Lets those timers expire whose time has come at `now`. Part of a step that changes the open files.
void expire_timers(std::span<const pollfd> files, std::int64_t now);

/// After the system's read() of `size` bytes into the parts: has them say how often the timer has expired.
ssize_t read_timer(int descriptor, std::span<const iovec> parts, ssize_t size);

/// Called at the beginning of an execution.
void forget_timers();

}  // namespace hocket::unmodified
