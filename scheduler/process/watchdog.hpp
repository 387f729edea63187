// Catches a thread that never reaches an operation. Otherwise the search would wait for it forever.
#pragma once

#include <chrono>

namespace hocket {

/// While an object of this class and a DyingProcess exist, the execution is checked regularly for progress.
/// If it has made none for `limit`, this is reported, its schedule is saved, and the process ends with
/// status 1. The report says what the thread waits for if it is in a call of the system.
///
/// The checks are made on a thread of its own (Ticker), from outside. A signal in place of them would
/// interrupt the body's calls of the system: poll(), epoll_wait() and others would then fail with EINTR, and
/// sleeps end early. Only when a report is due, or the time of the search is over, does the searching thread
/// get a signal. It is SIGURG, which debuggers pass on silently and programs rarely use. A SIGURG that is not
/// from the watchdog goes to the previous handler. If the body blocks that signal, or has a handler of its
/// own for it, the report comes all the same, but does not say where the thread is.
///
/// Time in which the process is stopped, or the thread could run but got no processor, does not count. While
/// a debugger is attached, nothing is reported.
class Watchdog {
 public:
  /// A `limit` of 0 means no watchdog.
  explicit Watchdog(std::chrono::nanoseconds limit);
  ~Watchdog();

  /// To be called in a child process, which does not inherit its parent's threads. The existing watchdog, if
  /// any, watches the child until it ends.
  static void watch_child();

  /// From now until the watchdog's end, executions that run during an EndsInTime end at their next operation
  /// once it is `end`, which is `time` from now, or a little later.
  static void set_end(std::chrono::steady_clock::time_point end, std::chrono::nanoseconds time);

  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

/// See Watchdog::set_end(). The options of the execution have to allow it: may_be_interrupted.
class EndsInTime {
 public:
  EndsInTime();
  ~EndsInTime();
  EndsInTime(const EndsInTime&) = delete;
  EndsInTime& operator=(const EndsInTime&) = delete;
};

}  // namespace hocket
