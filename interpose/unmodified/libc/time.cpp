// Clocks, sleeps and yields.
#include "time.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include "../hooks/polling.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libstdcxx/library_call.hpp"

namespace hocket::unmodified {

namespace {

using runtime::clock_object;

using runtime::Operation;
using runtime::run;
using runtime::Where;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / 4;

timespec timespec_of(std::int64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

bool measures_work(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

int sleep(std::int64_t nanoseconds) {
  static_cast<void>(runtime::step::yield(Operation::thread_sleep, nanoseconds, Where{}));
  return 0;
}

}  // namespace

std::int64_t beginning_of(clockid_t clock) {
  // Not 0, which programs may take to mean "never", and which a real clock never shows either.
  constexpr std::int64_t kMonotonic = 1'000 * kSecond;
  constexpr std::int64_t kRealTime = 1'000'000'000 * kSecond;  // a September day in 2001
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? kRealTime
                                                                                         : kMonotonic;
}

std::int64_t now(clockid_t clock) {
  Look look;
  look.come_by_clock();
  const std::int64_t time = runtime::step::clock_now(Where{});
  look.found(clock_object(), clock_object().version, true);
  look.leave_clock();
  return beginning_of(clock) + time;
}

std::int64_t nanoseconds(const timespec& time) {
  if (time.tv_sec >= kLongest / kSecond) return kLongest;
  return std::max<std::int64_t>(0, time.tv_sec * kSecond + time.tv_nsec);
}

std::int64_t nanoseconds_until(clockid_t clock, const timespec& time) {
  return std::max<std::int64_t>(0, nanoseconds(time) - beginning_of(clock) - run.current->seen_clock);
}

bool is_valid(const timespec* time) {
  return time != nullptr && time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::Operation;
using hocket::runtime::Where;

#define HOCKET_CALLER __builtin_return_address(0)

extern "C" {

int sched_yield() noexcept {
  HOCKET_ENTRY(sched_yield);
  Look::yield();
  return 0;
}

[[gnu::alias("sched_yield")]] int hocket_sched_yield() noexcept;
[[gnu::alias("clock_nanosleep")]] int hocket_clock_nanosleep(
    clockid_t clock, int flags, const timespec* time, timespec* left);

int nanosleep(const timespec* time, timespec* left) {
  HOCKET_ENTRY(nanosleep, time, left);
  if (!is_valid(time) || time->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  return sleep(nanoseconds(*time));
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  HOCKET_ENTRY(clock_nanosleep, clock, flags, time, left);
  if (!is_valid(time)) return EINVAL;
  return sleep((flags & TIMER_ABSTIME) != 0 ? nanoseconds_until(clock, *time) : nanoseconds(*time));
}
int usleep(useconds_t microseconds) {
  HOCKET_ENTRY(usleep, microseconds);
  return sleep(std::int64_t{microseconds} * 1'000);
}
unsigned sleep(unsigned seconds) {
  HOCKET_ENTRY(sleep, seconds);
  hocket::unmodified::sleep(std::int64_t{seconds} * kSecond);
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!is_from_body() || measures_work(clock)) return HOCKET_REAL(clock_gettime)(clock, time);
  HOCKET_CALLED_FROM_BODY();
  *time = timespec_of(now(clock));
  note_result(HOCKET_CALLER, time);
  return 0;
}
int timespec_get(timespec* time, int base) noexcept {
  if (!is_from_body() || base != TIME_UTC) return HOCKET_REAL(timespec_get)(time, base);
  HOCKET_CALLED_FROM_BODY();
  *time = timespec_of(now(CLOCK_REALTIME));
  note_result(HOCKET_CALLER, time);
  return base;
}
time_t time(time_t* result) noexcept {
  HOCKET_ENTRY(time, result);
  const timespec at = timespec_of(now(CLOCK_REALTIME));
  if (result != nullptr) *result = at.tv_sec;
  note_result(HOCKET_CALLER, result);
  return at.tv_sec;
}
int gettimeofday(timeval* result, void* zone) noexcept {
  HOCKET_ENTRY(gettimeofday, result, zone);
  const timespec at = timespec_of(now(CLOCK_REALTIME));
  *result = {at.tv_sec, at.tv_nsec / 1'000};
  note_result(HOCKET_CALLER, result);
  return 0;
}

}  // extern "C"
