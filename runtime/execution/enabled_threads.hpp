// Which threads could take a step: those that are enabled, those whose wait may expire, and those that may
// wake up spuriously.
#pragma once

#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../threads/thread.hpp"
#include "pace.hpp"
#include "run.hpp"
#include "thread_table.hpp"
#include "virtual_time.hpp"

namespace hocket::runtime {

/// The sets are updated whenever threads stop and objects change, so that a choice need not query every
/// thread.
class EnabledThreads {
 public:
  constexpr EnabledThreads(const ThreadTable& threads, Pace& pace, const VirtualTime& time)
      : threads_(threads), pace_(pace), time_(time) {}

  /// Another execution begins.
  void begin() {
    special_ = 0;
    waiting_.clear();
  }

  /// Whether can_be_done() holds and no guard blocks the thread.
  [[nodiscard]] static bool can_complete(const Thread& thread);
  /// Whether what the thread's operation needs is available, for example whether the mutex is free.
  [[nodiscard]] static bool can_be_done(const Thread& thread);
  /// Whether nothing that the thread waits for in an await has changed yet.
  [[nodiscard, gnu::noinline]] static bool is_held_by_guard(const Thread& thread);
  void guard(Thread& thread);
  void drop_guard(Thread& thread);
  /// The wait of `thread`, which stops for it next, may expire or end spuriously: Pending::special.
  void begin_special_wait(Thread& thread) {
    thread.pending.special = true;
    thread.is_in_a_set = true;
    ++special_;
    pace_.add_reason();
  }
  /// `thread` stops before a yield or sleep.
  void stop_at_yield(Thread& thread) {
    run.enabled.insert(thread.index);
    waiting_.at_yield.insert(thread.index);
    thread.is_in_a_set = true;
    pace_.add_reason();
  }
  [[nodiscard]] static ThreadSet* waiting_set(const Pending& pending);
  void refresh(const ThreadSet& threads);
  /// step::refresh_special().
  void refresh_special(const ThreadSet& threads) {
    if (special_ != 0) refresh(threads);
  }
  void refresh(const Thread& thread);
  Thread& take_out_of_sets(Thread& thread);
  /// Whether `thread` is stopped before a yield that would change nothing, because everything that it has
  /// read since its previous yield is unchanged.
  [[nodiscard]] static bool is_futile(const Thread& thread);
  /// Whether time cannot pass before `thread` has run.
  [[nodiscard]] bool holds_up_time(unsigned thread) const;
  /// Whether time passes when `thread` sleeps, if the chooser lets it: no other thread holds time up.
  [[nodiscard]] bool may_let_time_pass(unsigned thread) const;
  /// Whether `thread` is about to sleep and time may pass, although other threads have useful work to do.
  [[nodiscard]] bool may_hold_time(unsigned thread) const;
  /// Whether a timed wait of so many nanoseconds ends only when no thread can go on.
  [[nodiscard]] static bool is_late(std::int64_t nanoseconds) {
    return run.options.late_from != 0 && nanoseconds >= static_cast<std::int64_t>(run.options.late_from);
  }
  /// The threads whose wait may expire now. Those that are late may do so only if no thread holds time up,
  /// and nobody's wait or sleep is over before.
  [[nodiscard]] ThreadSet may_expire_now() const;
  /// The threads that could run as far as fairness is concerned, including those whose timed wait is already
  /// over.
  [[nodiscard]] ThreadSet could_go_on() const;
  /// Refreshes the guarded threads: changes do not.
  void refresh_guarded();

  [[nodiscard]] const ThreadSet& at_yield() const { return waiting_.at_yield; }
  [[nodiscard]] const ThreadSet& expirable() const { return waiting_.expirable; }
  [[nodiscard]] const ThreadSet& wakable() const { return waiting_.wakable; }

  // For assertions. counters_are_right() recounts the special waits and the reasons of Pace.
  // sets_are_right() checks for each thread that notifications and locks have updated the sets correctly.
  [[nodiscard]] bool counters_are_right() const;
  [[nodiscard]] bool sets_are_right() const;

 private:
  /// The threads that are stopped at something special, in this execution.
  struct Waiting {
    ThreadSet at_yield;  ///< stopped before a yield or sleep
    ThreadSet guarded;   ///< Thread::is_guarded
    ThreadSet expirable;
    ThreadSet wakable;  ///< may wake up spuriously

    void clear() {
      for (ThreadSet* const set : {&at_yield, &guarded, &expirable, &wakable}) set->clear();
    }
  };

  [[nodiscard]] static bool may_expire(const Thread& thread, bool can_go_on);
  [[nodiscard]] static bool may_wake_spuriously(const Thread& thread);

  const ThreadTable& threads_;
  Pace& pace_;
  const VirtualTime& time_;
  unsigned special_ = 0;  ///< threads that may expire or wake up spuriously, or could in other circumstances
  Waiting waiting_;
};

}  // namespace hocket::runtime
