// Times for the timed operations of POSIX.
#pragma once

#include <ctime>

namespace unmodified {

/// A time so many seconds from now on the clock.
inline timespec from_now(clockid_t clock, long seconds) {
  timespec time{};
  clock_gettime(clock, &time);
  time.tv_sec += seconds;
  return time;
}

inline constexpr timespec kNoTime{0, -1};

}  // namespace unmodified
