// The system's clocks in a body: all of them move with Hocket's virtual clock.
#pragma once

#include <cstdint>

#include <ctime>

// sched_yield() and clock_nanosleep() for bodies, under names that do not clash with those of a program.
extern "C" {
int hocket_sched_yield() noexcept;
int hocket_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left);
}

namespace hocket::unmodified {

/// The reading of `clock` when a body begins, in virtual nanoseconds since the clock's epoch.
std::int64_t beginning_of(clockid_t clock);

/// Reads `clock`, which is a step of the current thread: the virtual nanoseconds since the clock's epoch.
std::int64_t now(clockid_t clock);

/// The virtual nanoseconds until `time` on `clock`; at least 0.
std::int64_t nanoseconds_until(clockid_t clock, const timespec& time);

std::int64_t nanoseconds(const timespec& time);

/// Whether the system would accept it as a time.
bool is_valid(const timespec* time);

}  // namespace hocket::unmodified
