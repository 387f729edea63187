#include "model_calls.hpp"

#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include <cxxabi.h>
#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../runtime/platform/ending.hpp"
#include "../../runtime/platform/exception_text.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../runtime/platform/ticker.hpp"
#include "../../scheduler/api/number_text.hpp"
#include "../../scheduler/process/exit_guard.hpp"
#include "../../scheduler/process/interrupt.hpp"
#include "../../scheduler/process/waiting_call.hpp"
#include "supervised_check.hpp"

namespace hocket::model {

namespace {

using runtime::platform::as_argument;
using runtime::platform::system_call;
using runtime::platform::Ticker;
using std::chrono::nanoseconds;

using detail::WatchedThread;

constexpr int kExit = -1;  ///< in the place of a signal

/// Where libc's code is, whose locks a call must not keep.
std::uintptr_t libc_begin = 0;
std::uintptr_t libc_end = 0;

int find_libc(dl_phdr_info* info, std::size_t /*size*/, void* /*nothing*/) {
  // By its name: the address of one of its functions may be one in the program, which leads there.
  if (!std::string_view(info->dlpi_name).ends_with("/libc.so.6")) return 0;
  for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    libc_begin = begin;
    libc_end = begin + part.p_memsz;
  }
  return 1;
}

/// Whether the thread may hold the lock of the heap there. One that waits in a call of the system does not.
bool may_hold_lock([[maybe_unused]] const void* context) {
#if defined(__x86_64__) && defined(__linux__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto code = static_cast<std::uintptr_t>(registers[REG_RIP]);
  return code >= libc_begin && code < libc_end && !detail::calls_of_thread.watched->waits;
#else
  return false;
#endif
}

/// The system lets a handler of these signals go elsewhere.
void leave_call(int signal, siginfo_t* /*info*/, void* context) {
  detail::CallsOfThread& calls = detail::calls_of_thread;
  const bool is_meant =
      signal != SIGURG ||
      (calls.watched != nullptr && calls.watched->meant == calls.count->number() && !may_hold_lock(context));
  if (calls.after_end != nullptr && is_meant) {
    calls.ended_by = signal;
    SupervisedCheck::note_crash();
    __builtin_longjmp(calls.after_end, 1);
  }
  if (signal == SIGURG) return;  // the call has returned in the meantime
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

char handlers_of_models = 0;  ///< its address identifies them
pid_t process = 0;            ///< the searching one; a child may end

/// exit() and the like have been called.
void leave_exiting_call() {
  detail::CallsOfThread& calls = detail::calls_of_thread;
  if (calls.after_end == nullptr || getpid() != process) return;
  calls.ended_by = kExit;
  SupervisedCheck::note_crash();
  __builtin_longjmp(calls.after_end, 1);
}

bool is_in_call() {
  return detail::calls_of_thread.after_end != nullptr;
}

/// Called where libc itself has called exit(), as err() does: too late for statics of calls of the model.
void on_exit(void* /*nothing*/) {
  if (is_in_call()) abi::__cxa_atexit(&on_exit, nullptr, &handlers_of_models);  // a handler is called once
  leave_exiting_call();
}

void on_quick_exit() {
  if (is_in_call()) std::at_quick_exit(&on_quick_exit);
  leave_exiting_call();
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls that do not return

constexpr unsigned kMostWatched = 64;  ///< further threads are not watched
constexpr unsigned kTicks = 4;         ///< number of ticks that make up the limit

std::array<WatchedThread, kMostWatched> all_watched;
nanoseconds limit_of_calls{};
nanoseconds last_tick{};

// What follows is run by the ticking thread, which cannot use libc.

/// Again and again, while the thread may hold a lock.
void have_call_left(const WatchedThread& watched, pid_t thread) {
  constexpr unsigned kTimes = 100;
  const CountOfCalls& count = *watched.count;
  for (unsigned n = 0; n < kTimes && count.is_in_call() && count.number() == watched.meant; ++n) {
    system_call(SYS_tgkill, system_call(SYS_getpid), thread, SIGURG);
    Ticker::sleep(std::chrono::milliseconds(1));
  }
}

void look_at(WatchedThread& watched, nanoseconds elapsed) {
  const pid_t thread = watched.thread.load(std::memory_order_acquire);
  if (thread <= 0) return;
  const CountOfCalls& count = *watched.count;
  const std::uint64_t calls = count.number();
  const nanoseconds used = Ticker::used_time(thread);
  const bool is_same_call = calls == watched.calls_before && count.is_in_call();
  if (was_interrupted()) {
    const nanoseconds own = own_time(thread, elapsed, used - watched.used_before);
    watched.calls_before = calls;
    watched.used_before = used;
    watched.late = is_same_call ? watched.late + own : nanoseconds{};
    return end_if_late(watched.late, STDERR_FILENO);
  }
  watched.waits = is_same_call && what_thread_does(thread).activity == Activity::waits;
  if (!is_same_call) {
    watched.time = {};
  } else if (watched.waits) {
    watched.time += limit_of_calls / kTicks;
  } else {
    watched.time += used - watched.used_before;
  }
  watched.calls_before = calls;
  watched.used_before = used;
  if (watched.time < limit_of_calls || is_process_traced()) return;
  watched.meant = calls;
  have_call_left(watched, thread);
}

void look_at_all(std::uint64_t /*turn*/) {
  const nanoseconds now = Ticker::now();
  const nanoseconds elapsed = now - std::exchange(last_tick, now);
  for (WatchedThread& watched : all_watched) look_at(watched, elapsed);
}

}  // namespace

namespace detail {

std::string thrown_text() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  std::string name = type != nullptr ? runtime::platform::type_name(*type) : "an exception";
  try {
    throw;
  } catch (const std::exception& exception) {
    return name + ": " + exception.what();
  } catch (...) {
    return name;
  }
}

std::string text_of_end(int signal) {
  if (signal == kExit) return "it has called exit(), quick_exit() or _exit()";
  if (signal == SIGABRT) return "abort() was called; if by a failed assertion, its text stands above";
  if (signal != SIGURG) return "it got " + runtime::platform::signal_name(signal);
  return "it has run for " + duration_text(std::chrono::duration<double>(limit_of_calls).count()) +
         " without returning (see Options::watchdog)";
}

}  // namespace detail

CallGuard::CallGuard(nanoseconds limit) {
  struct sigaction action {};
  action.sa_sigaction = &leave_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &action, &previous_[n]);
  limit_of_calls = limit;
  process = getpid();
  before_exit = &leave_exiting_call;
  abi::__cxa_atexit(&on_exit, nullptr, &handlers_of_models);
  static const int once = std::at_quick_exit(&on_quick_exit);
  static_cast<void>(once);
  static_cast<void>(dl_iterate_phdr(&find_libc, nullptr));
  constexpr nanoseconds kLeast = std::chrono::milliseconds(1);
  is_watching_ = limit.count() != 0 && Ticker::begin(std::max(limit / kTicks, kLeast), &look_at_all);
}

CallGuard::~CallGuard() {
  if (is_watching_) Ticker::end();
  before_exit = nullptr;
  process = 0;
  abi::__cxa_finalize(&handlers_of_models);
  for (std::size_t n = 0; n < kSignals.size(); ++n) sigaction(kSignals[n], &previous_[n], nullptr);
}

nanoseconds CallGuard::limit() {
  return limit_of_calls;
}

void CallGuard::guard_this_process() {
  process = getpid();
}

WatchedCalls::WatchedCalls(CountOfCalls* count) {
  detail::CallsOfThread& calls = detail::calls_of_thread;
  if (calls.watched != nullptr) return;
  constexpr pid_t kTaken = -1;
  pid_t none = 0;
  for (WatchedThread& each : all_watched) {
    none = 0;
    if (!each.thread.compare_exchange_strong(none, kTaken)) continue;
    watched_ = calls.watched = &each;
    calls.count = count != nullptr ? count : &each.own_count;
    each.count = calls.count;
    calls.count->end();
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
    detail::calls_of_thread = {};
    watched_->thread.store(0, std::memory_order_release);
  }
  if (stack_.empty()) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace hocket::model
