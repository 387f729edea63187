// Operations that wait for other threads or for time: timed operations, condition variables, atomic waits,
// yields.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "store_choices.hpp"

namespace hocket::runtime {

/// Mutexes and semaphores have their own header, locking.hpp.
class Blocking {
 public:
  constexpr Blocking(const ThreadTable& threads, VirtualTime& time, Verdict& verdict, ObjectLives& objects,
      Actions& actions, EnabledThreads& enabled_threads, Scheduling& scheduling, StoreChoices& stores)
      : threads_(threads),
        time_(time),
        verdict_(verdict),
        objects_(objects),
        actions_(actions),
        enabled_threads_(enabled_threads),
        scheduling_(scheduling),
        stores_(stores) {}

  [[nodiscard]] bool arrive_timed(Object& object, Operation operation, std::int64_t nanoseconds, Where where);

  /// A complete condition wait. `mutex` may be null because condition_variable_any unlocks by itself. Sets
  /// `expired`.
  [[nodiscard]] bool condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds,
      bool& expired, const std::function<void()>* unlock, Where where);
  void condition_notify(ConditionVariable& condition, bool all, Where where);

  /// std::atomic::wait: waits while `is_unchanged()` holds for the cell. Sets `expired`.
  [[nodiscard]] bool atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context,
      std::memory_order order, std::int64_t nanoseconds, bool& expired, Where where);
  /// The same for an atomic of which older values are kept, while `keeps_stores`: waits while the newest
  /// value is the expected one of the request.
  [[nodiscard]] bool atomic_wait(AtomicRequest request);
  void atomic_notify(Object& cell, bool all, Where where);

  // -- For steps of operations that decide which waiters they reach

  /// The threads that wait for a notification of the cell.
  [[nodiscard]] ThreadSet waiters_at(const Object& cell) const;
  /// Chooses `most` of the threads, or takes all if they are not more. Each set of threads is one outcome.
  [[nodiscard]] ThreadSet choose_waiters(ThreadSet waiters, unsigned most, Operation operation, Where where);
  /// Wakes `most` of `meant`, which are some of those that wait at the cell. Returns which.
  ThreadSet wake_some(
      const Object& cell, const ThreadSet& meant, unsigned most, Operation operation, Where where);
  /// Lets a thread that waits for a notification of a cell wait for one of another cell.
  static void move(Thread& waiter, Object& to);

  [[nodiscard]] bool yield(Operation operation, std::int64_t nanoseconds, Where where);
  std::int64_t clock_now(Where where);

 private:
  [[nodiscard]] bool sleep_late(std::int64_t nanoseconds, Where where);
  [[nodiscard]] bool stop_to_reacquire(Mutex& mutex, Where where);
  /// Until when a wait of so many nanoseconds lasts that begins now.
  [[nodiscard]] static std::int64_t deadline_after(std::int64_t nanoseconds);
  [[nodiscard]] std::uint32_t choose_waiter(const ThreadSet& waiters, Operation operation, Where where);
  void wake(Thread& thread);
  /// To be called when the thread yields, under ExecutionRules::reads_older_once.
  static void begin_next_round(Thread& thread);
  void advance_clock(std::int64_t to);

  const ThreadTable& threads_;
  VirtualTime& time_;
  Verdict& verdict_;
  ObjectLives& objects_;
  Actions& actions_;
  EnabledThreads& enabled_threads_;
  Scheduling& scheduling_;
  StoreChoices& stores_;
};

}  // namespace hocket::runtime
