#include "model_calls.hpp"

#include <ctime>

#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/platform/exception_text.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../runtime/platform/ticker.hpp"
#include "../../scheduler/api/number_text.hpp"
#include "../../scheduler/process/waiting_call.hpp"
#include "../../scheduler/schedules/schedule_text.hpp"

namespace hocket::model {

namespace {

using runtime::platform::as_argument;
using runtime::platform::system_call;
using runtime::platform::Ticker;
using std::chrono::nanoseconds;

using detail::WatchedThread;

/// The system lets a handler of these signals go elsewhere.
void leave_call(int signal) {
  detail::CallsOfThread& calls = detail::calls_of_thread;
  const bool is_meant =
      signal != SIGURG || (calls.watched != nullptr && calls.watched->meant == calls.watched->calls);
  if (calls.after_end != nullptr && is_meant) {
    calls.ended_by = signal;
    __builtin_longjmp(calls.after_end, 1);
  }
  if (signal == SIGURG) return;  // the call has returned in the meantime
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls that do not return

constexpr unsigned kMostWatched = 64;  ///< further threads are not watched
constexpr unsigned kTicks = 4;         ///< number of ticks that make up the limit

std::array<WatchedThread, kMostWatched> all_watched;
nanoseconds limit_of_calls{};

// What follows is run by the ticking thread, which cannot use libc.

/// Of a processor, by the thread.
nanoseconds used_time(pid_t thread) {
  const long clock = ~static_cast<long>(thread) * 8 + 6;  // how the system calls it
  timespec time{};
  if (system_call(SYS_clock_gettime, clock, as_argument(&time)) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

void look_at(WatchedThread& watched) {
  const pid_t thread = watched.thread.load(std::memory_order_acquire);
  if (thread <= 0) return;
  const std::uint32_t calls = watched.calls.load(std::memory_order_relaxed);
  const nanoseconds used = used_time(thread);
  const bool is_same_call =
      calls == watched.calls_before && watched.is_in_call.load(std::memory_order_relaxed);
  if (!is_same_call) {
    watched.time = {};
  } else if (what_thread_does(thread).activity == Activity::waits) {
    watched.time += limit_of_calls / kTicks;
  } else {
    watched.time += used - watched.used_before;
  }
  watched.calls_before = calls;
  watched.used_before = used;
  if (watched.time < limit_of_calls || is_process_traced()) return;
  watched.time = {};
  watched.meant = calls;
  system_call(SYS_tgkill, system_call(SYS_getpid), thread, SIGURG);
}

void look_at_all(std::uint64_t /*turn*/) {
  for (WatchedThread& watched : all_watched) look_at(watched);
}

}  // namespace

namespace detail {

std::string thrown_text() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  const std::string name = type != nullptr ? runtime::platform::type_name(*type) : "an exception";
  try {
    throw;
  } catch (const std::exception& exception) {
    return name + ": " + exception.what();
  } catch (...) {
    return name;
  }
}

std::string text_of_end(int signal) {
  if (signal == SIGABRT) return "abort() was called; if by a failed assertion, its text stands above";
  if (signal != SIGURG) return "it got " + signal_name(signal);
  return "it has run for " + duration_text(std::chrono::duration<double>(limit_of_calls).count()) +
         " without returning (see Options::watchdog)";
}

}  // namespace detail

CallGuard::CallGuard(nanoseconds limit) {
  struct sigaction action {};
  action.sa_handler = &leave_call;
  action.sa_flags = SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &action, &previous_[n]);
  limit_of_calls = limit;
  constexpr nanoseconds kLeast = std::chrono::milliseconds(1);
  is_watching_ = limit.count() != 0 && Ticker::begin(std::max(limit / kTicks, kLeast), &look_at_all);
}

CallGuard::~CallGuard() {
  if (is_watching_) Ticker::end();
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous_[n], nullptr);
}

WatchedCalls::WatchedCalls() {
  detail::CallsOfThread& calls = detail::calls_of_thread;
  if (calls.watched != nullptr) return;
  constexpr pid_t kTaken = -1;
  pid_t none = 0;
  for (WatchedThread& each : all_watched) {
    none = 0;
    if (!each.thread.compare_exchange_strong(none, kTaken)) continue;
    watched_ = calls.watched = &each;
    each.is_in_call = false;
    each.thread.store(static_cast<pid_t>(system_call(SYS_gettid)), std::memory_order_release);
    break;
  }
  stack_t before{};
  if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  constexpr std::size_t kEnough = std::size_t{64} << 10U;
  stack_.resize(kEnough);
  stack_t of_handlers{};
  of_handlers.ss_sp = stack_.data();
  of_handlers.ss_size = stack_.size();
  sigaltstack(&of_handlers, nullptr);
}

WatchedCalls::~WatchedCalls() {
  if (watched_ != nullptr) {
    detail::calls_of_thread.watched = nullptr;
    watched_->thread.store(0, std::memory_order_release);
  }
  if (stack_.empty()) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace hocket::model
