#include "watchdog.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/interrupted_call.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../../runtime/platform/system_call.hpp"
#include "../../runtime/platform/ticker.hpp"
#include "../api/number_text.hpp"
#include "../deaths/dying_process.hpp"
#include "interrupt.hpp"
#include "output_gate.hpp"
#include "waiting_call.hpp"

namespace hocket {

namespace {

using runtime::platform::as_argument;
using runtime::platform::system_call;
using runtime::platform::Ticker;
using std::chrono::nanoseconds;

constexpr unsigned kTicks = 4;  ///< number of ticks that make up the limit

/// Whether the time of a search ends the execution that runs.
enum class InTime : std::uint8_t { no, ends_then, is_over };

struct Watch {
  bool is_set = false;
  nanoseconds period{};
  nanoseconds between_ticks{};  ///< at most `period`
  nanoseconds end{};            ///< of the search's time, by the ticker's clock; or 0
  std::atomic<InTime> in_time{InTime::no};
  pid_t process = 0;
  pid_t thread = 0;  ///< of the system, on which the search runs
  nanoseconds begun{};
  std::uint64_t progress_at_begin = 0;
  std::string beginning;  ///< of the sentence
  struct sigaction previous {};

  // What follows is the ticking thread's, until it sends the signal.
  std::uint64_t turn = 0;
  nanoseconds last_tick{};
  std::uint64_t progress = 0;
  nanoseconds used{};   ///< by the searching thread until the last tick, of a processor's time
  nanoseconds still{};  ///< time of that thread without progress
  nanoseconds late{};   ///< without progress, since a signal has asked the search to stop
  runtime::Life execution{};
  unsigned ticks = 0;    ///< in that execution
  unsigned waiting = 0;  ///< the last of them that found it in a call of the system
  bool has_told_of_waits = false;
  std::array<char, 512> what{};  ///< the sentence
  std::string_view call;         ///< in which it waits, or empty
  volatile bool has_signal_come = false;
};

Watch watch;

// Everything up to handle() is run by the ticking thread, which cannot use libc.

/// The searching thread's own, since the last tick.
nanoseconds time_of_thread(nanoseconds elapsed) {
  const nanoseconds until_now = Ticker::used_time(watch.thread);
  const nanoseconds used = until_now - std::exchange(watch.used, until_now);
  return own_time(watch.thread, elapsed, used);
}

void compose_sentence(const WhatThreadDoes& does) {
  watch.call = does.activity == Activity::waits ? name_of_call(does.call) : std::string_view{};
  std::size_t size = 0;
  const auto add = [&](std::string_view text) {
    text = text.substr(0, watch.what.size() - 1 - size);
    std::copy(text.begin(), text.end(), watch.what.begin() + static_cast<std::ptrdiff_t>(size));
    size += text.size();
  };
  add(watch.beginning);
  if (does.activity == Activity::waits) {
    add("it waits in ");
    add(watch.call);
    add(", which nothing ended in that time, and which no other thread of the test can end, ");
    add("since none can run meanwhile");
  } else if (does.activity == Activity::runs) {
    add("it loops on plain data, or over calls that Hocket does not control");
  } else {
    add("it loops on plain data, or it waits, in a std::mutex or a blocking call, ");
    add("for another thread of the test, which cannot run meanwhile");
  }
  add(" (see Options::watchdog)");
  watch.what[size] = '\0';
}

/// Whether the handler of SIGURG is this file's. The body may have set another.
bool is_handler_in_place();

/// Sends SIGURG with the address of what it is about to the searching thread.
void send_signal(void* about) {
  siginfo_t info{};
  info.si_signo = SIGURG;
  info.si_code = SI_QUEUE;
  info.si_pid = watch.process;
  info.si_value.sival_ptr = about;
  system_call(SYS_rt_tgsigqueueinfo, watch.process, watch.thread, SIGURG, as_argument(&info));
}

/// Returns whether the signal has come to the searching thread.
bool signal_comes() {
  constexpr auto kPause = std::chrono::milliseconds(10);
  constexpr unsigned kPauses = 100;
  watch.has_signal_come = false;
  send_signal(&watch);
  for (unsigned n = 0; n < kPauses && !watch.has_signal_come; ++n) Ticker::sleep(kPause);
  return watch.has_signal_come;
}

bool is_at_work(std::uint64_t progress) {
  return progress != watch.progress || runtime::platform::is_looking_up_places() ||
         DyingProcess::is_telling();
}

/// Whether the body's code is running, and not a strategy or the runtime, as the ticking thread sees it.
bool seems_in_the_body() {
  return runtime::run.os_thread != 0 && runtime::run.own_memory == 0;
}

void report() {
  compose_sentence(what_thread_does(watch.thread));
  if (is_handler_in_place() && signal_comes()) return;
  if (!seems_in_the_body() || is_at_work(runtime::execution.progress())) return;
  Ticker::borrow_thread_local_data();
  DyingProcess::tell_and_end(Death::stuck, watch.what.data(), {watch.call, false});
}

void tell_of_waits(const WhatThreadDoes& does) {
  const auto put = [](std::string_view text) {
    system_call(
        SYS_write, OutputGate::real_stderr(), as_argument(text.data()), static_cast<long>(text.size()));
  };
  put("\nhocket: an execution, which has run for some time, waits again and again in ");
  put(name_of_call(does.call));
  put(": such waits take real time, and Hocket's clocks stand still meanwhile, so a thread that waits there "
      "until a clock has gone on does so in vain\n");
}

/// An execution that comes to operations may wait in real time all the same.
void watch_waits(bool is_in_the_body) {
  if (watch.execution != runtime::run.life) {
    watch.execution = runtime::run.life;
    watch.ticks = watch.waiting = 0;
  }
  // To look means to open a file for a moment, and the body is not to find one of its numbers taken. So this
  // is done for long executions only.
  if (!is_in_the_body || ++watch.ticks < kTicks / 2 || watch.has_told_of_waits) return;
  const WhatThreadDoes does = what_thread_does(watch.thread);
  watch.waiting = does.activity == Activity::waits ? watch.waiting + 1 : 0;
  if (watch.ticks < kTicks || watch.waiting <= kTicks / 2) return;
  tell_of_waits(does);
  watch.has_told_of_waits = true;
}

void end_in_time(nanoseconds now) {
  constexpr auto kCoarse = std::chrono::milliseconds(20);  // a search reads a coarser clock, which is behind
  InTime state = InTime::ends_then;
  if (watch.end.count() == 0 || now < watch.end + kCoarse || !is_handler_in_place()) return;
  if (watch.in_time.compare_exchange_strong(state, InTime::is_over)) send_signal(&watch.in_time);
}

void tick(std::uint64_t turn) {
  if (turn != watch.turn) {
    watch.turn = turn;
    watch.ticks = 0;
    watch.has_told_of_waits = false;
    watch.still = {};
    watch.late = {};
    watch.used = {};
    watch.progress = watch.progress_at_begin;
    watch.last_tick = watch.begun;
  }
  const nanoseconds time = Ticker::now();
  const nanoseconds elapsed = time - watch.last_tick;
  end_in_time(time);
  if (elapsed < watch.period * 3 / 4 && !was_interrupted()) return;
  watch.last_tick = time;
  const std::uint64_t progress = runtime::execution.progress();
  const bool was_stopped = elapsed > watch.period + watch.period / 2;  // the whole process
  // Also in a call of Hocket: the body may make one after the other, and come to no operation.
  const bool is_late = was_interrupted() && runtime::run.os_thread != 0 && !is_at_work(progress);
  const bool is_still = seems_in_the_body() && !is_at_work(progress);
  const nanoseconds without_progress =
      (is_late || is_still) && !was_stopped ? time_of_thread(elapsed) : nanoseconds{};
  if (!is_late) {
    watch.late = {};
  } else if (!was_stopped) {
    end_if_late(watch.late += without_progress, OutputGate::real_stderr());
  }
  if (!is_still) {
    if (!was_interrupted()) watch_waits(seems_in_the_body());
    watch.progress = progress;
    watch.still = {};
    watch.used = Ticker::used_time(watch.thread);
    return;
  }
  if (was_stopped) return;
  watch.still += without_progress;
  if (watch.still < watch.period * kTicks) return;
  watch.still = {};
  if (!is_process_traced()) report();
}

/// On the searching thread.
void handle(int signal, siginfo_t* info, void* context) {
  if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &watch) {
    const int user_errno = errno;
    const bool is_in_the_body = runtime::is_controlled() && runtime::run.own_memory == 0;
    const runtime::OwnMemory own;  // so that it reads the system's clock, not the body's
    if (is_in_the_body && !is_at_work(runtime::execution.progress()))
      DyingProcess::tell_and_end(Death::stuck, watch.what.data(), {watch.call});
    runtime::platform::restart_interrupted_call(context);  // it has gone on in the meantime
    watch.has_signal_come = true;
    errno = user_errno;
  } else if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &watch.in_time) {
    if (watch.in_time == InTime::is_over) runtime::execution.verdict.interrupt();
    runtime::platform::restart_interrupted_call(context);
  } else if ((watch.previous.sa_flags & SA_SIGINFO) != 0) {
    watch.previous.sa_sigaction(signal, info, context);
  } else if (watch.previous.sa_handler != SIG_DFL && watch.previous.sa_handler != SIG_IGN) {
    watch.previous.sa_handler(signal);
  }
}

bool is_handler_in_place() {
  struct OfKernel {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } action{};
  system_call(SYS_rt_sigaction, SIGURG, 0, as_argument(&action), sizeof action.mask);
  return action.handler == &handle;
}

/// Watches the calling thread. Returns whether the system has a thread for that.
bool begin() {
  watch.process = getpid();
  watch.thread = static_cast<pid_t>(system_call(SYS_gettid));
  watch.begun = Ticker::now();
  watch.progress_at_begin = runtime::execution.progress();
  return Ticker::begin(watch.between_ticks, &tick);
}

}  // namespace

void Watchdog::set_end(std::chrono::steady_clock::time_point end, nanoseconds time) {
  constexpr nanoseconds kLeast = std::chrono::milliseconds(10);
  if (!watch.is_set) return;
  watch.end = end.time_since_epoch();
  watch.between_ticks = std::min(watch.period / 4, std::max(time / 50, kLeast));
  Ticker::hasten(watch.between_ticks);
}

EndsInTime::EndsInTime() {
  watch.in_time.store(InTime::ends_then, std::memory_order_relaxed);
}

EndsInTime::~EndsInTime() {
  watch.in_time.store(InTime::no, std::memory_order_relaxed);
}

void Watchdog::watch_child() {
  if (watch.period.count() != 0) static_cast<void>(begin());
}

Watchdog::Watchdog(nanoseconds limit) {
  if (limit.count() == 0) return;
  watch.beginning = " has run for " + duration_text(std::chrono::duration<double>(limit).count()) +
                    " without reaching an operation: ";
  watch.period = watch.between_ticks = std::max<nanoseconds>(limit / kTicks, std::chrono::milliseconds(1));

  struct sigaction action {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGURG, &action, &watch.previous);
  watch.is_set = begin();  // otherwise there is no watchdog
}

Watchdog::~Watchdog() {
  if (watch.period.count() == 0) return;
  if (watch.is_set) Ticker::end();
  watch.is_set = false;
  watch.period = watch.end = {};
  sigaction(SIGURG, &watch.previous, nullptr);
}

}  // namespace hocket
