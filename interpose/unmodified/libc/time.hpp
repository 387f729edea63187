// The system's clocks in a body: all of them move with Hocket's virtual clock.
#pragma once

#include <cstdint>

#include <ctime>

// sched_yield() and clock_nanosleep() for bodies, by names that no program has for something of its own.
extern "C" {
int hocket_sched_yield() noexcept;
int hocket_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left);
}

namespace hocket::unmodified {

/// The virtual time when a body begins, as the system's clocks tell it: nanoseconds since their epochs.
std::int64_t beginning_of(clockid_t clock);

/// How long it is until `time` on `clock`, in virtual nanoseconds; at least 0.
std::int64_t nanoseconds_until(clockid_t clock, const timespec& time);

std::int64_t nanoseconds(const timespec& time);

/// Whether the system would take it for a time.
bool is_valid(const timespec* time);

}  // namespace hocket::unmodified
