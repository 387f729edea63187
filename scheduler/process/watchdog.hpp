// A thread that never comes to an operation: the search would wait for it for ever.
#pragma once

#include <chrono>

namespace hocket {

/// While one lives, and a CrashFile, a timer looks now and then whether the execution has got on. One that
/// has not for as long as `limit` is told of, its schedule saved, and the process ended with status 1.
///
/// The timer's signal is SIGURG, which debuggers pass on in silence and programs rarely use; one that is not
/// the timer's goes to the handler that was there before. Time in which the process is stopped does not
/// count, and while a debugger is attached nothing happens.
class Watchdog {
 public:
  /// `limit` 0: none.
  explicit Watchdog(std::chrono::nanoseconds limit);
  ~Watchdog();

  /// In a child process, which has no timer of its parent's: the watchdog that lives, if it does, looks after
  /// it until it ends.
  static void watch_child();

  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace hocket
