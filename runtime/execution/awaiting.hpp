// Threads that wait for a change: in hocket::await, until a predicate holds, and in a polling loop.
#pragma once

#include <cstdint>

#include "../terms/where.hpp"
#include "enabled_threads.hpp"
#include "verdict.hpp"

namespace hocket::runtime {

/// Such a thread is guarded: see awaiting.cpp.
class Awaiting {
 public:
  constexpr Awaiting(EnabledThreads& enabled_threads, VirtualTime& time, Verdict& verdict)
      : enabled_threads_(enabled_threads), time_(time), verdict_(verdict) {}

  /// hocket::await: what the current thread accesses from here on counts for await_change().
  void begin_await();
  /// Called when the predicate does not hold. The thread's next operation, which begins the next evaluation
  /// of the predicate, then waits until another thread changes something that the predicate has accessed.
  [[nodiscard]] bool await_change(Where where);
  void end_await();
  /// Makes the next operation of the current thread, which polls, wait until something in Thread::awaited has
  /// another state. If the clock is in there, the wait may also end after `nanoseconds`; with 0, no time
  /// passes for it. If the previous wait ended by time, this one does too.
  void wait_for_other_states(std::int64_t nanoseconds);

  // -- For the other parts of Execution

  /// Called when a thread continues after an await: it has read everything that it waited for.
  static void read_awaited(Thread& thread, Operation operation);
  /// Called when the time is over for which a thread that polls the clock has waited.
  void end_poll_by_time(Thread& thread);

 private:
  EnabledThreads& enabled_threads_;
  VirtualTime& time_;
  Verdict& verdict_;
};

}  // namespace hocket::runtime
