// Calls a function at regular intervals, on a thread of its own.
#pragma once

#include <chrono>
#include <cstdint>

namespace hocket::runtime::platform {

/// The thread is one of the system's that libc does not know of: a process without other threads stays one
/// for libc, whose locks then cost nothing. It blocks all signals.
///
/// So it has no thread-local data, not even errno. What it calls must only make calls of the system that do
/// not go through libc, and must not allocate.
class Ticker {
 public:
  /// From now until end(), `tick` is called every `period`. `turn` is the number of begin() calls so far.
  /// Returns whether the system had a thread left. A child process has to call this, too: it has no thread of
  /// its parent's.
  static bool begin(std::chrono::nanoseconds period, void (*tick)(std::uint64_t turn));

  /// Returns at once: `tick` may be called, or may be running, for a moment longer, and the thread may be
  /// there for 20 ms.
  static void end();

  /// Waits until the thread is gone, after end(): for those who count threads.
  static void leave();

  /// From now until end(), `tick` is called every `period` at least. For handlers of signals.
  static void hasten(std::chrono::nanoseconds period);

  /// The monotonic clock. For `tick`.
  static std::chrono::nanoseconds now();

  /// Of a processor, by that thread of this process. For `tick`.
  static std::chrono::nanoseconds used_time(int thread);

  /// The number of such threads in this process: 0 or 1. The thread may remain for a moment after end().
  static unsigned threads();

  /// Lets the calling thread sleep. For `tick`.
  static void sleep(std::chrono::nanoseconds time);

  /// Gives the calling thread the thread-local data of the thread that has called begin(), so that it can
  /// call libc. For `tick`, when the process is about to end.
  static void borrow_thread_local_data();
};

}  // namespace hocket::runtime::platform
