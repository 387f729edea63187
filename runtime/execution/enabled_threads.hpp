// Which threads could take a step: those that are enabled, whose wait may expire, that may wake up
// spuriously.
#pragma once

#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../threads/thread.hpp"
#include "actions.hpp"

namespace hocket::runtime {

/// The sets are kept while threads stop and objects change, so that a choice need not ask each thread.
class EnabledThreads : public Actions {
 public:
  // Effects that let other threads go on or hold them up. Constant time unless a timed wait is pending.

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
  /// The next step does not take the fast path.
  void leave_fast_path() { stop = 0; }
  void add_slow_path_reason() {
    ++slow_path_reasons_;
    leave_common_path();
  }
  /// can_be_done(), and no guard is in the way.
  [[nodiscard]] bool can_complete(const Thread& thread) const;
  /// Whether what the thread's operation needs is there: the mutex free, and the like.
  [[nodiscard]] static bool can_be_done(const Thread& thread);
  /// Whether nothing has changed yet that it waits for in an await.
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
  /// Whether `thread` stands before a yield that would change nothing: all that it has read since its last
  /// one is unchanged.
  [[nodiscard]] bool is_futile(const Thread& thread) const;
  /// Whether time does not pass before `thread` has gone on.
  [[nodiscard]] bool holds_up_time(unsigned thread) const;
  /// Whether time passes while `thread` sleeps, if it may: nobody else holds it up.
  [[nodiscard]] bool may_let_time_pass(unsigned thread) const;
  /// Whether `thread` is about to sleep while time may pass, but others have something useful to do.
  [[nodiscard]] bool may_hold_time(unsigned thread) const;
  /// Who could go on as far as fairness is concerned: also threads whose timed wait is over by now.
  [[nodiscard]] ThreadSet could_go_on() const;
  // For assertions: what is counted by hand counted anew, special_waits_ and slow_path_reasons_; what
  // notifications and locks have put into the sets and taken out of them, asked of each thread.
  [[nodiscard]] bool counters_are_right() const;
  [[nodiscard]] bool sets_are_right() const;
};

}  // namespace hocket::runtime
