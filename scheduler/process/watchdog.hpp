// Catches a thread that never reaches an operation. Otherwise the search would wait for it forever.
#pragma once

#include <chrono>

namespace hocket {

/// While an object of this class and a CrashFile exist, a timer checks regularly whether the execution has
/// made progress. If it has made none for `limit`, this is reported, its schedule is saved, and the process
/// ends with status 1.
///
/// The timer's signal is SIGURG, which debuggers pass on silently and programs rarely use. A SIGURG that is
/// not from the timer goes to the previous handler. Time in which the process is stopped does not count.
/// While a debugger is attached, nothing is reported.
class Watchdog {
 public:
  /// A `limit` of 0 means no watchdog.
  explicit Watchdog(std::chrono::nanoseconds limit);
  ~Watchdog();

  /// To be called in a child process, which does not inherit its parent's timer. The existing watchdog, if
  /// any, watches the child until it ends.
  static void watch_child();

  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace hocket
