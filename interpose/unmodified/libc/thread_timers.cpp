#include "thread_timers.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <vector>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/recording.hpp"
#include "../host/call_origin.hpp"
#include "../host/logical_threads.hpp"
#include "../host/next_symbol.hpp"
#include "../host/refusal.hpp"
#include "../libstdcxx/library_call.hpp"
#include "../memory/watched_pages.hpp"
#include "../pthread/signal_delivery.hpp"
#include "../pthread/signals.hpp"
#include "../restore/kept_states.hpp"
#include "file_calls.hpp"
#include "timer_files.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::run;
using runtime::Thread;

struct ThreadTimer {
  int descriptor;
  void (*function)(sigval);
  sigval value;
  const void* made_by;  ///< the code that has called timer_create()
  Thread* reader = nullptr;
  std::vector<Thread*> calls{};  ///< the threads that were started
};

// Not a local static: a body may be the first to come by, and the guard would then be the body's.
constinit std::deque<ThreadTimer>* timers_of_body = nullptr;

/// The handle of the first timer. The system's own are small numbers, or addresses.
constexpr std::uintptr_t kFirstHandle = 0x7e5'0000;

timer_t handle_of(std::size_t number) {
  return reinterpret_cast<timer_t>(kFirstHandle + number);  // NOLINT(performance-no-int-to-ptr)
}

ThreadTimer* find(timer_t handle) {
  const std::size_t number = reinterpret_cast<std::uintptr_t>(handle) - kFirstHandle;
  return timers_of_body != nullptr && number < timers_of_body->size() ? &(*timers_of_body)[number] : nullptr;
}

/// Starts a thread whose own steps are those of the call that has made the timer.
Thread* start(ThreadTimer& timer, void* (*function)(void*), const char* name) {
  Thread* const thread = make_thread(function, &timer);
  if (thread == nullptr) return nullptr;
  if (run.recording) runtime::recording::name(*thread, name);
  runtime::step::start(*thread);
  return thread;
}

void work_for(const ThreadTimer& timer) {
  run.current->instrumented.caller = timer.made_by;
}

void* call(void* which) {
  const ThreadTimer& timer = *static_cast<const ThreadTimer*>(which);
  work_for(timer);
  timer.function(timer.value);
  return nullptr;
}

/// Waits until the timer expires. False if it does no more.
bool wait_for(const ThreadTimer& timer) {
  bool is_there = false;
  std::uint64_t expirations = 0;
  const iovec part{&expirations, sizeof expirations};
  take_in("timer_create", timer.descriptor, true, [&](int file) {
    is_there = is_timer_of_body(file);
    return read_timer(file, {&part, 1}, HOCKET_REAL(read)(file, &expirations, part.iov_len));
  });
  return is_there && expirations != 0;
}

void close_timer(ThreadTimer& timer) {
  if (timer.descriptor >= 0) HOCKET_REAL(close)(timer.descriptor);
  timer.descriptor = -1;
}

void* read(void* which) {
  ThreadTimer& timer = *static_cast<ThreadTimer*>(which);
  work_for(timer);
  if (are_signals_in_use) signals::set_mask(~signals::SignalSet{0});  // as those of the C library do
  while (wait_for(timer)) {
    Thread* const started = start(timer, &call, "function of a timer");
    if (started == nullptr) break;
    const runtime::OwnMemory own;
    timer.calls.push_back(started);
  }
  if (run.ending) return nullptr;
  note_closed_in_waits(timer.descriptor);
  close_timer(timer);
  for (Thread* const each : timer.calls) join_if_open(*each);
  return nullptr;
}

/// Another number than those that the body's own files get, if there is one.
int out_of_the_way(int descriptor) {
  constexpr int kLeast = 500;
  const int other = HOCKET_REAL(fcntl)(descriptor, F_DUPFD_CLOEXEC, kLeast);
  if (other < 0) return descriptor;
  HOCKET_REAL(close)(descriptor);
  return other;
}

int create(clockid_t clock, const sigevent& event, timer_t* timer, const void* caller) {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0)
    refuse("timer_create", "with a clock of processor time; use CLOCK_MONOTONIC");
  const int descriptor = make_timer("timer_create", clock == CLOCK_TAI ? CLOCK_REALTIME : clock, 0);
  if (descriptor < 0) return descriptor;
  {
    const runtime::OwnMemory own;
    if (timers_of_body == nullptr) timers_of_body = new std::deque<ThreadTimer>;
    timers_of_body->push_back(
        {out_of_the_way(descriptor), event.sigev_notify_function, event.sigev_value, caller});
  }
  ThreadTimer& made = timers_of_body->back();
  *timer = handle_of(timers_of_body->size() - 1);
  made.reader = start(made, &read, "timer");
  return 0;
}

/// A timer that was deleted is one that there is not.
int as_of_timer(int result) {
  if (result == -1 && errno == EBADF) errno = EINVAL;
  return result;
}

}  // namespace

void end_thread_timers() {
  for (std::size_t n = 0; timers_of_body != nullptr && n < timers_of_body->size(); ++n) {
    ThreadTimer& timer = (*timers_of_body)[n];
    if (timer.reader == nullptr) continue;
    work_for(timer);
    if (timer.descriptor >= 0) delete_timer("timer_create", timer.descriptor);
    join_if_open(*timer.reader);
  }
}

void forget_thread_timers() {
  if (timers_of_body == nullptr) return;
  for (ThreadTimer& timer : *timers_of_body) close_timer(timer);
  timers_of_body->clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  WatchedPages::will_be_written(timer, sizeof *timer);
  const auto call = [&] { return HOCKET_REAL(timer_create)(clock, event, timer); };
  HOCKET_ENTRY_OR(call());
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    const int result = create(clock, *event, timer, __builtin_return_address(0));
    if (result == 0) note_result(__builtin_return_address(0), timer);
    return result;
  }
  const int result = call();
  if (result == 0) note_timer(*timer);
  return result;
}

int timer_delete(timer_t timer) noexcept {
  HOCKET_ENTRY(timer_delete, timer);
  if (const ThreadTimer* const one = find(timer))
    return as_of_timer(delete_timer("timer_delete", one->descriptor));
  note_deleted_timer(timer);
  return HOCKET_REAL(timer_delete)(timer);
}

int timer_settime(timer_t timer, int flags, const itimerspec* time, itimerspec* before) noexcept {
  if (before != nullptr) WatchedPages::will_be_written(before, sizeof *before);
  HOCKET_ENTRY(timer_settime, timer, flags, time, before);
  const ThreadTimer* const one = find(timer);
  if (one != nullptr && time == nullptr) return fail_with(EINVAL);
  const int result =
      one == nullptr
          ? HOCKET_REAL(timer_settime)(timer, flags, time, before)
          : as_of_timer(set_timer("timer_settime", one->descriptor, flags & TIMER_ABSTIME, *time, before));
  if (result == 0) note_result(__builtin_return_address(0), before);
  return result;
}

int timer_gettime(timer_t timer, itimerspec* time) noexcept {
  if (time != nullptr) WatchedPages::will_be_written(time, sizeof *time);
  HOCKET_ENTRY(timer_gettime, timer, time);
  const ThreadTimer* const one = find(timer);
  if (one != nullptr && time == nullptr) return fail_with(EFAULT);
  const int result = one == nullptr ? HOCKET_REAL(timer_gettime)(timer, time)
                                    : as_of_timer(get_timer("timer_gettime", one->descriptor, time));
  if (result == 0) note_result(__builtin_return_address(0), time);
  return result;
}

int timer_getoverrun(timer_t timer) noexcept {
  HOCKET_ENTRY(timer_getoverrun, timer);
  const ThreadTimer* const one = find(timer);
  return one == nullptr ? HOCKET_REAL(timer_getoverrun)(timer)
                        : as_of_timer(overruns_of("timer_getoverrun", one->descriptor));
}

}  // extern "C"
