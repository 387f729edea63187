#include "enabled_threads.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "../terms/late_waits.hpp"
#include "../terms/sabotage.hpp"
#include "../terms/semantics.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

namespace {

/// The state that a stopped thread finds, for semantics.hpp.
struct StateNow {
  const Thread& thread;

  [[nodiscard]] bool can_take(Need need) const { return has(*thread.pending.object, need); }
  [[nodiscard]] bool can_take_second() const {
    return thread.pending.second == nullptr || has(*thread.pending.second, Need::lock);
  }
  [[nodiscard]] bool is_notified() const { return thread.notified; }
  [[nodiscard]] static bool is_gone() {
    return false;
  }  // destroying it was misuse, or something remains of it

 private:
  [[nodiscard]] bool has(const Object& object, Need need) const {
    const bool can = runtime::can_take(object, need, thread.index);
    assert(can == runtime::can_take(*object.kind, object.kind->fingerprint(object), need, thread.key));
    return can;
  }
};

}  // namespace

bool EnabledThreads::can_complete(const Thread& thread) {
  if (thread.is_guarded && !thread.instrumented.looks.lets_time_pass && is_held_by_guard(thread)) [[unlikely]]
    return false;
  return can_be_done(thread);
}

bool EnabledThreads::can_be_done(const Thread& thread) {
  return runtime::can_be_done(thread.pending.operation, StateNow{thread});
}

bool EnabledThreads::may_expire(const Thread& thread, bool can_go_on) {
  const Pending& pending = thread.pending;
  const StateNow state{thread};
  if (!pending.timed) return false;
  if (is_sabotaged(Sabotage::expiry_needs_the_mutex) && pending.operation == Operation::condition_reacquire &&
      !state.can_take_second())
    return false;
  return runtime::may_expire(pending.operation, state, thread.polls, can_go_on);
}

bool EnabledThreads::may_wake_spuriously(const Thread& thread) {
  return run.options.spurious_wakeups &&
         runtime::may_wake_spuriously(thread.pending.operation, StateNow{thread});
}

ThreadSet* EnabledThreads::waiting_set(const Pending& pending) {
  if (!may_wait(pending.operation)) return nullptr;
  const Need need = semantics_of(pending.operation).needs;
  if (need != Need::notification_and_lock) return &waiting_for(*pending.object, need);
  return pending.second != nullptr ? &waiting_for(*pending.second, Need::lock) : nullptr;
}

void EnabledThreads::refresh(const ThreadSet& threads) {
  threads.for_each([&](unsigned t) { refresh(threads_[t]); });
}

void EnabledThreads::refresh(const Thread& thread) {
  const bool can_go_on = can_complete(thread);
  run.enabled.assign(thread.index, can_go_on);
  if (!thread.pending.special) return;  // and so the thread is in none of the other sets
  waiting_.expirable.assign(thread.index, may_expire(thread, can_go_on));
  waiting_.wakable.assign(thread.index, may_wake_spuriously(thread));
}

Thread& EnabledThreads::take_out_of_sets(Thread& thread) {
  thread.is_in_a_set = false;
  if (thread.waits_in != nullptr) {
    thread.waits_in->erase(thread.index);
    thread.waits_in = nullptr;
  }
  thread.pending.second = nullptr;
  if (thread.is_guarded) drop_guard(thread);
  if (thread.pending.special) {
    assert(special_ != 0);
    --special_;
    pace_.drop_reason();
    thread.pending.special = false;
    thread.pending.timed = false;
    waiting_.expirable.erase(thread.index);
    waiting_.wakable.erase(thread.index);
  }
  if (waiting_.at_yield.contains(thread.index)) {
    pace_.drop_reason();
    waiting_.at_yield.erase(thread.index);
  }
  return thread;
}

void EnabledThreads::refresh_guarded() {
  waiting_.guarded.for_each([&](unsigned t) {
    if (threads_[t].state == Thread::State::stopped) refresh(threads_[t]);
  });
}

void EnabledThreads::guard(Thread& thread) {
  assert(!thread.is_guarded && !thread.awaited.empty());
  thread.is_guarded = true;
  thread.is_in_a_set = true;
  waiting_.guarded.insert(thread.index);
  pace_.add_reason();
}

bool EnabledThreads::is_held_by_guard(const Thread& thread) {
  return std::all_of(thread.awaited.begin(), thread.awaited.end(), [&](const Thread::Read& read) {
    if (read.object == nullptr) return false;
    return thread.polls ? !read.has_other_state() : read.object->version == read.version;
  });
}

void EnabledThreads::drop_guard(Thread& thread) {
  assert(thread.is_guarded && waiting_.guarded.contains(thread.index));
  thread.is_guarded = thread.polls = thread.instrumented.looks.lets_time_pass = false;
  waiting_.guarded.erase(thread.index);
  pace_.drop_reason();
}

bool EnabledThreads::holds_up_time(unsigned thread) const {
  const bool is_idle = waiting_.at_yield.contains(thread) && is_futile(threads_[thread]);
  return run.enabled.contains(thread) && !is_idle && !run.cold->scheduling.fairness.has_given_way(thread);
}

bool EnabledThreads::may_let_time_pass(unsigned thread) const {
  bool is_held_up = false;
  run.enabled.for_each([&](unsigned t) { is_held_up |= t != thread && holds_up_time(t); });
  return !is_held_up;
}

bool EnabledThreads::may_hold_time(unsigned thread) const {
  if (threads_[thread].pending.operation != Operation::thread_sleep || !may_let_time_pass(thread))
    return false;
  bool is_useful = false;
  run.enabled.for_each([&](unsigned t) {
    is_useful |= t != thread && !(waiting_.at_yield.contains(t) && is_futile(threads_[t]));
  });
  return is_useful;
}

ThreadSet EnabledThreads::may_expire_now() const {
  const ThreadSet& expirable = waiting_.expirable;
  if (run.options.late_from == 0 || expirable.empty()) return expirable;
  BesideWaits beside{false};
  run.enabled.for_each([&](unsigned t) { beside.somebody_is_useful |= holds_up_time(t); });
  // A thread that sleeps again and again may have to be passed over in the end, which is what fairness is
  // for.
  if (!run.options.fair) {
    waiting_.at_yield.for_each([&](unsigned t) {
      const Thread& thread = threads_[t];
      if (thread.pending.operation == Operation::thread_sleep)
        beside.first_end_of_sleeps = std::min(beside.first_end_of_sleeps, time_.now() + thread.sleeps_for);
    });
  }
  return without_late_waits(
      expirable, beside, [&](unsigned t) { return threads_[t].pending.is_late; },
      [&](unsigned t) { return threads_[t].pending.deadline; });
}

ThreadSet EnabledThreads::could_go_on() const {
  ThreadSet able = run.enabled;
  const ThreadSet expirable = may_expire_now();
  if (expirable.empty()) return able;
  bool is_held_up = false;
  run.enabled.for_each([&](unsigned t) { is_held_up |= holds_up_time(t); });
  std::int64_t over_by = time_.now();
  if (!is_held_up) {
    std::int64_t soonest = std::numeric_limits<std::int64_t>::max();
    expirable.for_each([&](unsigned t) { soonest = std::min(soonest, threads_[t].pending.deadline); });
    over_by = std::max(time_.now(), soonest);
  }
  expirable.for_each([&](unsigned t) {
    if (threads_[t].pending.deadline <= over_by) able.insert(t);
  });
  return able;
}

bool EnabledThreads::is_futile(const Thread& thread) {
  if (!thread.has_yielded || thread.wrote_since_yield) return false;
  return std::all_of(
      thread.reads_since_yield.begin(), thread.reads_since_yield.end(), [](const Thread::Read& read) {
        return read.object != nullptr && read.object->version == read.version;
      });
}

bool EnabledThreads::counters_are_right() const {
  unsigned special_waits = 0;
  unsigned reasons = (run.recording || run.options.observer != nullptr ? 1 : 0) + (run.options.fair ? 1 : 0) +
                     (run.options.sealed_steps != nullptr ? 1 : 0) +
                     (execution.retries.are_watched() ? 1 : 0) + (threads_.count() > 64 ? 1 : 0);
  for (unsigned t = 0; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    if (waiting_.guarded.contains(t) != thread.is_guarded) return false;
    special_waits += thread.pending.special ? 1 : 0;
    reasons += thread.is_guarded ? 1 : 0;
    reasons += waiting_.at_yield.contains(t) ? 1 : 0;
    reasons += thread.preemption_forbidden != 0 ? 1 : 0;
  }
  return special_waits == special_ && reasons + special_waits == pace_.reasons();
}

bool EnabledThreads::sets_are_right() const {
  for (unsigned t = 0; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    if (thread.state != Thread::State::stopped || thread.joins != nullptr) continue;
    if (thread.is_guarded) continue;  // these are checked when a choice is made
    const bool can = can_be_done(thread);
    if (run.enabled.contains(t) != can) return false;
    if (waiting_.expirable.contains(t) != may_expire(thread, can) &&
        !is_sabotaged(Sabotage::expiry_needs_the_mutex))
      return false;
    const bool may_wake = thread.pending.special && may_wake_spuriously(thread);
    if (waiting_.wakable.contains(t) != may_wake) return false;
  }
  return true;
}

}  // namespace hocket::runtime
