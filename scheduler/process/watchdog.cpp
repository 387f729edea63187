#include "watchdog.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/platform/symbols/call_site.hpp"
#include "../api/number_text.hpp"
#include "../search/crash_file.hpp"

namespace hocket {

namespace {

using std::chrono::nanoseconds;

constexpr unsigned kTicks = 4;  ///< number of ticks without progress that make up the limit

struct Watch {
  timer_t timer{};
  bool is_set = false;
  nanoseconds period{};
  nanoseconds last_tick{};
  std::uint64_t progress = 0;
  unsigned still = 0;  ///< ticks without progress
  std::string what;
  struct sigaction previous {};
};

Watch watch;

nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

/// Whether a debugger holds this process. Calls open, read and close only.
bool is_traced() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 4096> text{};
  const ssize_t size = read(file, text.data(), text.size() - 1);
  close(file);
  if (size <= 0) return false;
  constexpr const char* kField = "TracerPid:\t";
  const char* tracer = std::strstr(text.data(), kField);
  return tracer != nullptr && tracer[std::strlen(kField)] != '0';
}

/// Whether the body's code is running, and not a strategy or the runtime. To be called before an OwnMemory is
/// constructed.
bool is_in_the_body() {
  return runtime::is_controlled() && runtime::execution.own_memory == 0;
}

void tick(bool is_in_the_body) {
  const nanoseconds time = now();
  const nanoseconds elapsed = time - watch.last_tick;
  watch.last_tick = time;
  const std::uint64_t progress = runtime::execution.progress();
  const bool is_at_work = progress != watch.progress || !is_in_the_body ||
                          runtime::platform::is_looking_up_places() || CrashFile::is_telling();
  if (is_at_work) {
    watch.progress = progress;
    watch.still = 0;
    return;
  }
  if (elapsed > watch.period + watch.period / 2) return;  // the process was stopped
  if (++watch.still < kTicks) return;
  watch.still = 0;
  if (is_traced()) return;
  CrashFile::tell_and_end(Death::stuck, watch.what.c_str());
}

void handle(int signal, siginfo_t* info, void* context) {
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &watch) {
    const int user_errno = errno;
    const bool is_in_body = is_in_the_body();
    const runtime::OwnMemory own;  // so that it reads the system's clock, not the body's
    tick(is_in_body);
    errno = user_errno;
  } else if ((watch.previous.sa_flags & SA_SIGINFO) != 0) {
    watch.previous.sa_sigaction(signal, info, context);
  } else if (watch.previous.sa_handler != SIG_DFL && watch.previous.sa_handler != SIG_IGN) {
    watch.previous.sa_handler(signal);
  }
}

/// Starts a timer for the calling thread. Returns whether the system had one left.
bool start_timer(timer_t& timer) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGURG;
  event.sigev_value.sival_ptr = &watch;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return false;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(watch.period);
  itimerspec interval{};
  interval.it_interval.tv_sec = seconds.count();
  interval.it_interval.tv_nsec = (watch.period - seconds).count();
  interval.it_value = interval.it_interval;
  timer_settime(timer, 0, &interval, nullptr);
  return true;
}

}  // namespace

void Watchdog::watch_child() {
  if (watch.period.count() == 0) return;
  watch.last_tick = now();
  watch.still = 0;
  timer_t of_child{};
  static_cast<void>(!start_timer(of_child));
}

Watchdog::Watchdog(nanoseconds limit) {
  if (limit.count() == 0) return;
  watch.what = " has run for " + duration_text(std::chrono::duration<double>(limit).count()) +
               " without reaching an operation: it loops on plain data, or it waits, in a std::mutex or a "
               "blocking call, for another thread of the test, which cannot run meanwhile (see "
               "Options::watchdog)";
  watch.period = std::max<nanoseconds>(limit / kTicks, std::chrono::milliseconds(1));
  watch.last_tick = now();
  watch.still = 0;
  watch.progress = runtime::execution.progress();

  struct sigaction action {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGURG, &action, &watch.previous);
  watch.is_set = start_timer(watch.timer);  // otherwise there is no watchdog
}

Watchdog::~Watchdog() {
  if (watch.period.count() == 0) return;
  if (watch.is_set) timer_delete(watch.timer);
  watch.is_set = false;
  watch.period = {};
  sigaction(SIGURG, &watch.previous, nullptr);
}

}  // namespace hocket
