#include "timer_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <limits>
#include <vector>

#include <sys/timerfd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../restore/body_descriptors.hpp"
#include "../restore/outer_files.hpp"
#include "file_calls.hpp"
#include "inner_files.hpp"
#include "time.hpp"

namespace hocket::unmodified {

namespace {

using runtime::is_sabotaged;
using runtime::Sabotage;

constexpr std::int64_t kNever = -1;
constexpr std::int64_t kSecond = 1'000'000'000;
/// The seconds in the interval of the system's timer; its nanoseconds are the number of the timer.
constexpr time_t kMark = 1'234'567'890;

struct Timer {
  long number;
  clockid_t clock;
  std::int64_t next = kNever;     ///< when it expires, in virtual nanoseconds since the execution began
  std::int64_t interval = 0;      ///< 0: it expires once
  std::uint64_t expirations = 0;  ///< that nobody has read
  int overruns = 0;               ///< by how many those were more than one that were read last
  /// When it was last set, or expired: who looks at it afterwards may have read the clock before.
  std::int64_t changed_at = 0;

  void pass_until(std::int64_t now) {
    if (next == kNever || next > now) return;
    const std::int64_t more = interval == 0 ? 1 : (now - next) / interval + 1;
    expirations += static_cast<std::uint64_t>(more);
    next = interval == 0 || is_sabotaged(Sabotage::timers_expire_once) ? kNever : next + more * interval;
    changed_at = now;
  }
};

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit std::vector<Timer>* timers = nullptr;
constinit long last_number = 0;  ///< is never taken again: a library may keep a timer of an earlier execution

Timer* timer_behind(int descriptor) {
  if (timers == nullptr || timers->empty()) return nullptr;
  const KeepsErrno keeps;
  itimerspec its{};
  if (HOCKET_REAL(timerfd_gettime)(descriptor, &its) != 0 || its.it_interval.tv_sec != kMark) return nullptr;
  const auto found = std::find_if(timers->begin(), timers->end(),
      [&](const Timer& timer) { return timer.number == its.it_interval.tv_nsec; });
  return found != timers->end() ? &*found : nullptr;
}

/// Has the system's timer expire now, or makes it one that has not expired.
void set_system_timer(int descriptor, const Timer& timer, bool has_expired) {
  const KeepsErrno keeps;
  itimerspec time{{kMark, timer.number}, {kMark, 0}};
  if (has_expired) time.it_value = {0, 1};
  HOCKET_REAL(timerfd_settime)(descriptor, has_expired ? TFD_TIMER_ABSTIME : 0, &time, nullptr);
  pollfd event{descriptor, POLLIN, 0};
  constexpr int kLong = 1'000;  // milliseconds; it takes no time
  if (has_expired) HOCKET_REAL(poll)(&event, 1, kLong);
}

/// Those that can end a wait for `events`: timers can be read, and do nothing else.
void for_each_timer(int descriptor, unsigned events, FunctionView<void(int, Timer&)> look) {
  if ((events & POLLIN) == 0) return;
  if (Timer* const timer = timer_behind(descriptor)) return look(descriptor, *timer);
  if (!is_epoll(descriptor)) return;
  for_each_watched(
      descriptor, [&](int watched, unsigned its_events) { for_each_timer(watched, its_events, look); });
}
void for_each_timer(std::span<const pollfd> files, FunctionView<void(int, Timer&)> look) {
  if (timers == nullptr || timers->empty()) return;
  for (const pollfd& one : files) {
    if (one.fd >= 0) for_each_timer(one.fd, static_cast<unsigned>(one.events), look);
  }
}

timespec timespec_of(std::int64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

/// What timerfd_gettime() says at `now`.
itimerspec setting_of(Timer timer, std::int64_t now) {
  now = std::max(now, timer.changed_at);
  timer.pass_until(now);
  return {timespec_of(timer.interval), timespec_of(timer.next == kNever ? 0 : timer.next - now)};
}

std::int64_t virtual_now() {
  return now(CLOCK_MONOTONIC) - beginning_of(CLOCK_MONOTONIC);
}

}  // namespace

int set_timer(const char* function, int descriptor, int flags, const itimerspec& time, itimerspec* before) {
  if ((static_cast<unsigned>(flags) & ~static_cast<unsigned>(TFD_TIMER_ABSTIME)) != 0 ||
      !is_valid(&time.it_value) || !is_valid(&time.it_interval) || time.it_value.tv_sec < 0 ||
      time.it_interval.tv_sec < 0)
    return fail_with(EINVAL);
  const std::int64_t read = virtual_now();
  return change_files(function, Order::gives, behind(descriptor), [&] {
    Timer* const timer = timer_behind(descriptor);
    if (timer == nullptr) return fail_with(EBADF);
    const itimerspec old = setting_of(*timer, read);
    const std::int64_t now = std::max(read, timer->changed_at);
    const std::int64_t value = nanoseconds(time.it_value);
    const bool is_absolute = flags != 0;
    timer->expirations = 0;
    timer->overruns = 0;
    timer->changed_at = now;
    timer->interval = nanoseconds(time.it_interval);
    timer->next = value == 0    ? kNever
                  : is_absolute ? std::max<std::int64_t>(value - beginning_of(timer->clock), 0)
                                : now + value;
    set_system_timer(descriptor, *timer, false);
    if (before != nullptr) *before = old;
    return 0;
  });
}

int get_timer(const char* function, int descriptor, itimerspec* time) {
  const std::int64_t now = virtual_now();
  return change_files(function, Order::takes, behind(descriptor), [&] {
    const Timer* const timer = timer_behind(descriptor);
    if (timer == nullptr) return fail_with(EBADF);
    *time = setting_of(*timer, now);
    return 0;
  });
}

int delete_timer(const char* function, int descriptor) {
  return change_files(function, Order::gives, behind(descriptor), [&] {
    Timer* const timer = timer_behind(descriptor);
    if (timer == nullptr) return fail_with(EBADF);
    set_system_timer(descriptor, *timer, true);
    timers->erase(timers->begin() + (timer - timers->data()));
    return 0;
  });
}

int overruns_of(const char* function, int descriptor) {
  return change_files(function, Order::takes, behind(descriptor), [&] {
    const Timer* const timer = timer_behind(descriptor);
    return timer != nullptr ? timer->overruns : fail_with(EBADF);
  });
}

bool is_timer_of_body(int descriptor) {
  return timer_behind(descriptor) != nullptr;
}

std::optional<std::int64_t> next_expiry(std::span<const pollfd> files) {
  std::optional<std::int64_t> next;
  for_each_timer(files, [&](int /*descriptor*/, const Timer& timer) {
    if (timer.next != kNever && (!next || timer.next < *next)) next = timer.next;
  });
  return next;
}

void expire_timers(std::span<const pollfd> files, std::int64_t now) {
  for_each_timer(files, [&](int descriptor, Timer& timer) {
    if (timer.next == kNever || timer.next > now) return;
    timer.pass_until(now);
    set_system_timer(descriptor, timer, true);
  });
}

ssize_t read_timer(int descriptor, std::span<const iovec> parts, ssize_t size) {
  Timer* const timer = size > 0 ? timer_behind(descriptor) : nullptr;
  if (timer == nullptr) return size;
  std::size_t done = 0;
  for (const iovec& part : parts) {
    const std::size_t its = std::min(part.iov_len, sizeof timer->expirations - done);
    std::memcpy(part.iov_base, reinterpret_cast<const char*>(&timer->expirations) + done, its);
    done += its;
  }
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  timer->overruns = static_cast<int>(std::min(std::max<std::uint64_t>(timer->expirations, 1) - 1, kMost));
  timer->expirations = 0;
  return size;
}

int make_timer(const char* function, clockid_t clock, int flags) {
  if (clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM)
    refuse(function, "with a clock that wakes the system; use CLOCK_REALTIME or CLOCK_BOOTTIME");
  const int descriptor = HOCKET_REAL(timerfd_create)(clock, flags);
  if (descriptor < 0) return descriptor;
  const runtime::OwnMemory own;
  if (timers == nullptr) timers = new std::vector<Timer>;
  last_number = (last_number + 1) % kSecond;
  timers->push_back({last_number, clock});
  set_system_timer(descriptor, timers->back(), false);
  return descriptor;
}

void forget_timers() {
  if (timers != nullptr) timers->clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int timerfd_create(clockid_t clock, int flags) noexcept {
  HOCKET_ENTRY_OR(note_opened(HOCKET_REAL(timerfd_create)(clock, flags), __builtin_return_address(0)));
  return note_opened(make_timer("timerfd_create", clock, flags), __builtin_return_address(0));
}

int timerfd_settime(int descriptor, int flags, const itimerspec* time, itimerspec* before) noexcept {
  if (before != nullptr) WatchedPages::will_be_written(before, sizeof *before);
  HOCKET_ENTRY(timerfd_settime, descriptor, flags, time, before);
  if (!is_timer_of_body(descriptor) || time == nullptr) {
    note_outer_file(descriptor, "a timer");
    return HOCKET_REAL(timerfd_settime)(descriptor, flags, time, before);
  }
  if ((static_cast<unsigned>(flags) & TFD_TIMER_CANCEL_ON_SET) != 0)
    refuse("timerfd_settime", "with TFD_TIMER_CANCEL_ON_SET: nobody sets the virtual clock");
  const int result = set_timer("timerfd_settime", descriptor, flags, *time, before);
  if (result == 0) note_result(__builtin_return_address(0), before);
  return result;
}
int timerfd_gettime(int descriptor, itimerspec* time) noexcept {
  if (time != nullptr) WatchedPages::will_be_written(time, sizeof *time);
  HOCKET_ENTRY(timerfd_gettime, descriptor, time);
  if (!is_timer_of_body(descriptor) || time == nullptr) return HOCKET_REAL(timerfd_gettime)(descriptor, time);
  const int result = get_timer("timerfd_gettime", descriptor, time);
  if (result == 0) note_result(__builtin_return_address(0), time);
  return result;
}

}  // extern "C"
