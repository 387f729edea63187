// Which threads could take a step: those that are enabled, those whose wait may expire, and those that may
// wake up spuriously.
#pragma once

#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../threads/thread.hpp"
#include "actions.hpp"

namespace hocket::runtime {

/// The sets are updated whenever threads stop and objects change, so that a choice need not query every
/// thread.
class EnabledThreads : public Actions {
 public:
  // Effects that enable or disable other threads. They take constant time unless a timed wait is pending.

  void now_unavailable(const ThreadSet& waiting) {
    if (waiting.empty()) return;
    enabled -= waiting;
    if (special_waits_ != 0) refresh(waiting);
  }
  void now_available(const ThreadSet& waiting) {
    if (waiting.empty()) return;
    enabled |= waiting;
    if (special_waits_ != 0) refresh(waiting);
  }

 protected:
  /// Makes the next step leave the fast path.
  void leave_fast_path() { stop = 0; }
  void add_slow_path_reason() {
    ++slow_path_reasons_;
    leave_common_path();
  }
  /// Whether can_be_done() holds and no guard blocks the thread.
  [[nodiscard]] bool can_complete(const Thread& thread) const;
  /// Whether what the thread's operation needs is available, for example whether the mutex is free.
  [[nodiscard]] static bool can_be_done(const Thread& thread);
  /// Whether nothing that the thread waits for in an await has changed yet.
  [[nodiscard, gnu::noinline]] static bool is_held_by_guard(const Thread& thread);
  void guard(Thread& thread);
  void drop_guard(Thread& thread);
  [[nodiscard]] static bool may_expire(const Thread& thread, bool can_go_on);
  [[nodiscard]] bool may_wake_spuriously(const Thread& thread) const;
  [[nodiscard]] static ThreadSet* waiting_set(const Pending& pending);
  void refresh(const ThreadSet& threads);
  void refresh(const Thread& thread);
  static void wait_in(ThreadSet& waiting, Thread& thread) {
    waiting.insert(thread.index);
    thread.waits_in = &waiting;
    thread.is_in_a_set = true;
  }
  Thread& take_out_of_sets(Thread& thread);
  /// Whether `thread` is stopped before a yield that would change nothing, because everything that it has
  /// read since its previous yield is unchanged.
  [[nodiscard]] bool is_futile(const Thread& thread) const;
  /// Whether time cannot pass before `thread` has run.
  [[nodiscard]] bool holds_up_time(unsigned thread) const;
  /// Whether time passes when `thread` sleeps, if the chooser lets it: no other thread holds time up.
  [[nodiscard]] bool may_let_time_pass(unsigned thread) const;
  /// Whether `thread` is about to sleep and time may pass, although other threads have useful work to do.
  [[nodiscard]] bool may_hold_time(unsigned thread) const;
  /// Whether a timed wait of so many nanoseconds ends only when no thread can go on.
  [[nodiscard]] bool is_late(std::int64_t nanoseconds) const {
    return options_.late_from != 0 && nanoseconds >= static_cast<std::int64_t>(options_.late_from);
  }
  /// The threads whose wait may expire now. Those that are late may do so only if no thread holds time up,
  /// and nobody's wait or sleep is over before.
  [[nodiscard]] ThreadSet may_expire_now() const;
  /// The threads that could run as far as fairness is concerned, including those whose timed wait is already
  /// over.
  [[nodiscard]] ThreadSet could_go_on() const;
  // For assertions. counters_are_right() recounts special_waits_ and slow_path_reasons_. sets_are_right()
  // checks for each thread that notifications and locks have updated the sets correctly.
  [[nodiscard]] bool counters_are_right() const;
  [[nodiscard]] bool sets_are_right() const;
};

}  // namespace hocket::runtime
