// Threads that wait for a change: in hocket::await until a predicate holds, and in a loop that polls.
#pragma once

#include <cstdint>

#include "../terms/where.hpp"
#include "enabled_threads.hpp"

namespace hocket::runtime {

/// Such a thread is guarded: see awaiting.cpp.
class Awaiting : public EnabledThreads {
 public:
  /// hocket::await: what the current thread touches from here on counts for await_change().
  void begin_await();
  /// The predicate does not hold. Lets the thread's next operation, with which the predicate is evaluated
  /// again, wait until something that the predicate has touched is changed by another thread.
  [[nodiscard]] bool await_change(Where where);
  void end_await();
  /// The next operation of the current thread, which polls, waits until something that Thread::awaited names
  /// is in another state. If the clock is among that, the wait may also be over after so many nanoseconds;
  /// 0: no time passes by it. If the wait before was over by time, this one is.
  void wait_for_other_states(std::int64_t nanoseconds);

 protected:
  /// A thread that goes on after an await has read all that it waited for.
  void read_awaited(Thread& thread, Operation operation);
  /// The time is over for which a thread has waited that polls the clock.
  void end_poll_by_time(Thread& thread);
};

}  // namespace hocket::runtime
