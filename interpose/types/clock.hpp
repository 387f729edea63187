// Virtual time. Inside a body no operation takes time: the clock advances when every thread is waiting for
// it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"

namespace hocket {

/// std::chrono::steady_clock under control. Inside a body it starts at 0, and now() is a step that reads the
/// clock.
struct steady_clock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<steady_clock>;
  static constexpr bool is_steady = true;

  static time_point now(runtime::Where where = runtime::Where::current()) {
    if (runtime::is_controlled()) return time_point(duration(runtime::step::clock_now(where)));
    return time_point(
        std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch()));
  }
};

namespace detail {

/// Converts a duration to nanoseconds, rounded up, that the runtime can add to its clock without overflow;
/// the result is at least 0.
template <class Rep, class Period>
std::int64_t nanoseconds(const std::chrono::duration<Rep, Period>& duration) {
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / 4;
  using Seconds = std::chrono::duration<long double>;
  const long double seconds = std::chrono::duration_cast<Seconds>(duration).count();
  if (!(seconds > 0)) return 0;
  if (seconds * 1e9L >= static_cast<long double>(kLongest)) return kLongest;
  return std::chrono::ceil<std::chrono::nanoseconds>(duration).count();
}

/// The duration until `time`. For a real clock the result depends on the real time, but it decides only which
/// wait ends first. Under control the result is always positive, so that a body behaves the same whenever it
/// runs.
template <class Clock, class Duration>
auto until(const std::chrono::time_point<Clock, Duration>& time) {
  using Left = std::common_type_t<typename Clock::duration, Duration, std::chrono::nanoseconds>;
  const Left left = time - Clock::now();
  return runtime::is_controlled() ? std::max(left, Left(1)) : left;
}
template <class Duration>
std::chrono::nanoseconds until(const std::chrono::time_point<steady_clock, Duration>& time) {
  // Reading the clock to compute the length of a wait is not a step of the program.
  if (runtime::is_controlled()) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()) -
           std::chrono::nanoseconds(runtime::run.current->seen_clock);
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time - steady_clock::now());
}

}  // namespace detail

}  // namespace hocket
