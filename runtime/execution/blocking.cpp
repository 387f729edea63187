// Operations that wait for other threads or for time: timed operations, condition variables, atomic waits,
// yields.
#include <algorithm>
#include <string>

#include "../diagnosis/misuse.hpp"
#include "../diagnosis/time_text.hpp"
#include "../terms/semantics.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"
#include "locking.hpp"

namespace hocket::runtime {

namespace {

/// "thread 1, thread 2", or "no thread".
std::string names_of(const ThreadSet& threads) {
  std::string text;
  threads.for_each(
      [&](unsigned t) { text += (text.empty() ? "" : ", ") + execution.describe(execution.thread(t)); });
  return text.empty() ? "no thread" : text;
}

/// Records that the current thread notifies those that wait for `object`.
void record_notification(const Object& object, const ThreadSet& waiters, bool wakes_all) {
  const OwnMemory own;
  Trace& trace = *execution.trace();
  execution.cold_state().notifications.add(
      {trace.number(object), trace.choices().size(), waiters, {}}, wakes_all);
  if (wakes_all || waiters.empty()) trace.note(names_of(waiters));
}

/// Records which thread was chosen from those that waited.
void record_woken(unsigned thread) {
  const OwnMemory own;
  execution.cold_state().notifications.woke(thread);
  execution.trace()->note(execution.describe(execution.thread(thread)));
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Timed operations

bool Blocking::arrive_timed(Object& object, Operation operation, std::int64_t nanoseconds, Where where) {
  if (object.life != life && !first_touch(object, operation, where)) return false;
  Thread& self = *current;
  if (ending) {
    end_here();
    return false;
  }
  self.pending = {operation, &object, nullptr, where, true, true, is_late(nanoseconds),
      virtual_now() + std::max<std::int64_t>(nanoseconds, 0)};
  ++special_waits_;
  add_slow_path_reason();
  const bool ready = can_be_done(self);
  enabled.assign(self.index, ready);
  expirable_.assign(self.index, !ready);
  wait_in(*waiting_set(self.pending), self);
  const std::int64_t deadline = self.pending.deadline;
  Thread& next = after_stop(self);
  switch_to(next);
  if (!resume()) return false;
  if (recording) note_deadline(deadline);
  if (self.mode == Mode::expire) advance_clock(deadline);
  return true;
}

void Blocking::advance_clock(std::int64_t to) {
  now_ = std::max(now_, to);
  current->seen_clock = now_;
  act(cold_state_->clock, Operation::clock_now, Access::write);
  cold_state_->fairness.time_passed();
}

std::int64_t Blocking::clock_now(Where where) {
  Object& clock = cold_state_->clock;
  if (arrive(clock, Operation::clock_now, true, where)) {
    act(clock, Operation::clock_now, Access::read);
    if (recording) note_value(time_text(now_));
  }
  current->seen_clock = now_;
  return now_;
}

// ---------------------------------------------------------------------------------------------------------------------
// Condition variables

bool Blocking::condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds,
    bool& expired, const std::function<void()>* unlock, Where where) {
  expired = false;
  if (attention != Attention::none) [[unlikely]]
    current->waits_with = mutex;
  if (!arrive(condition, Operation::condition_wait, true, where)) return false;
  Thread& self = *current;
  if (mutex != nullptr) {
    if (mutex->life != life && !first_touch(*mutex, Operation::condition_wait, where)) return false;
    if (mutex->state.owner != self.index) {
      const OwnMemory own;
      fail(FailureKind::misuse,
          describe(self) + " waits on " + describe(condition) + " without holding " + describe(*mutex),
          where);
      return false;
    }
    if (condition.one_mutex && !condition.state.waiters.empty() &&
        misuse::waits_with_another_mutex(execution, condition, *mutex, where)) {
      return false;
    }
    act(condition, Operation::condition_wait, Access::write);
    act(*mutex, Operation::condition_wait, Access::write);
    if (recording) options_.trace->gives_back(*mutex);
    no_longer_held(execution, *mutex);
    if (mutex->state.unlock()) now_available(mutex->state.waiting);
  } else {
    act(condition, Operation::condition_wait, Access::write);
  }
  const bool timed = nanoseconds != kForever;
  if (timed && recording) note_deadline(virtual_now() + std::max<std::int64_t>(nanoseconds, 0));
  condition.state.waiters.insert(self.index);
  self.notified = false;
  if (unlock != nullptr) (*unlock)();
  if (ending) {
    end_here();
    return false;
  }

  const bool special = timed || options_.spurious_wakeups;
  self.pending = {Operation::condition_reacquire, &condition, mutex, where, special, timed,
      timed && is_late(nanoseconds), virtual_now() + std::max<std::int64_t>(nanoseconds, 0)};
  const std::int64_t deadline = self.pending.deadline;
  self.is_in_a_set = true;
  if (special) {
    ++special_waits_;
    add_slow_path_reason();
  }
  refresh(self);
  Thread& next = after_stop(self);
  switch_to(next);
  if (!resume()) return false;

  if (self.mode != Mode::run) {
    if (!self.notified) {  // otherwise it has left the queue, and the condition variable may be gone
      condition.state.waiters.erase(self.index);
      act(condition, operation_of_step(Operation::condition_reacquire, self.mode), Access::write);
    }
    if (self.mode == Mode::expire) {
      expired = true;
      advance_clock(deadline);
    }
    if (mutex != nullptr && !stop_to_reacquire(*mutex, where)) return false;
  } else if (mutex == nullptr) {
    act(*self.pending.object, Operation::condition_reacquire,
        Access::write);  // on the condition variable or its ghost
  }
  if (mutex != nullptr) lock(execution, *mutex, Operation::condition_reacquire);
  return true;
}

// A thread that has stopped waiting by itself waits for the mutex like any other thread, whichever thread
// held the mutex at that time.
bool Blocking::stop_to_reacquire(Mutex& mutex, Where where) {
  Thread& self = *current;
  self.notified = true;
  self.pending = {Operation::condition_reacquire, self.pending.object, &mutex, where};
  wait_in(mutex.state.waiting, self);
  enabled.assign(self.index, can_be_done(self));
  Thread& next = after_stop(self);
  switch_to(next);
  return resume();
}

void Blocking::wake(Thread& thread) {
  if (options_.observer != nullptr) options_.observer->woke(thread);
  thread.notified = true;
  const bool waits =
      thread.state == Thread::State::stopped && thread.pending.operation == Operation::condition_reacquire;
  if (!waits) return;  // it is still unlocking and will find itself notified
  if (ThreadSet* waiting = waiting_set(thread.pending); waiting != nullptr) wait_in(*waiting, thread);
  refresh(thread);
}

std::uint32_t Blocking::choose_waiter(const ThreadSet& waiters, Operation operation, Where where) {
  const unsigned count = waiters.size();
  if (count == 1) return least_named(waiters);
  std::uint32_t nth = choose_value(operation, count, 0, where);
  ThreadSet left = waiters;
  while (nth-- > 0) left.erase(least_named(left));
  return least_named(left);
}

bool Blocking::condition_notify(ConditionVariable& condition, bool all, Where where) {
  const Operation operation = all ? Operation::condition_notify_all : Operation::condition_notify_one;
  if (!arrive(condition, operation, true, where)) return false;
  act(condition, operation, Access::write);
  ThreadSet& waiters = condition.state.waiters;
  if (recording) record_notification(condition, waiters, all);
  if (waiters.empty()) return true;
  if (all) {
    waiters.for_each([&](unsigned t) { wake(*thread_slots_[t]); });
    waiters.clear();
  } else {
    const unsigned chosen = choose_waiter(waiters, operation, where);
    if (ending) return false;
    act_alone(operation, thread_slots_[chosen]->key);
    waiters.erase(chosen);
    if (recording) record_woken(chosen);
    wake(*thread_slots_[chosen]);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Waiting on atomics

bool Blocking::atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context,
    std::memory_order order, std::int64_t nanoseconds, bool& expired, Where where) {
  expired = false;
  current->notified = true;  // true for a thread that has not begun to wait
  if (!arrive(cell, Operation::atomic_wait, true, where)) return false;
  Thread& self = *current;
  const std::int64_t deadline = virtual_now() + std::max<std::int64_t>(nanoseconds, 0);
  for (;;) {
    act(cell, Operation::atomic_wait, Access::read, order);
    if (!is_unchanged(context)) return true;
    self.notified = false;
    if (nanoseconds == kForever) {
      Thread& next = stop_before(cell, Operation::atomic_wait, false, where);
      switch_to(next);
    } else {
      self.pending = {
          Operation::atomic_wait, &cell, nullptr, where, true, true, is_late(nanoseconds), deadline};
      self.is_in_a_set = true;
      ++special_waits_;
      add_slow_path_reason();
      refresh(self);
      Thread& next = after_stop(self);
      switch_to(next);
    }
    if (!resume()) return false;
    if (self.mode == Mode::expire) {
      expired = true;
      act(cell, Operation::atomic_wait, Access::read, order);
      advance_clock(deadline);
      return true;
    }
  }
}

// A thread sleeps only if the newest value is the old one: the kernel compares with that.
bool Blocking::atomic_wait(AtomicRequest request) {
  Object& cell = request.object;
  Thread& self = *current;
  self.notified = true;  // it has not begun to wait
  if (!arrive(cell, Operation::atomic_wait, true, request.where)) return false;
  for (;;) {
    Store* const found = choose_store(request);
    if (found == nullptr) return false;
    act_on_store(request, *found, false, nullptr);
    if (!request.finds_expected(*found)) return true;
    act_on_queue(cell, Operation::atomic_wait);
    self.notified = false;
    Thread& next = stop_before(cell, Operation::atomic_wait, false, request.where);
    switch_to(next);
    if (!resume()) return false;
  }
}

bool Blocking::atomic_notify(Object& cell, bool all, Where where) {
  const Operation operation = all ? Operation::atomic_notify_all : Operation::atomic_notify_one;
  if (!arrive(cell, operation, true, where)) return false;
  if (keeps_stores && cell.kind->keeps_stores) {
    act_on_queue(cell, operation);
  } else {
    act(cell, operation, Access::write);
  }
  ThreadSet waiters;
  for (unsigned t = 0; t < threads_; ++t) {
    const Thread& thread = *thread_slots_[t];
    const bool waits = thread.state == Thread::State::stopped &&
                       thread.pending.operation == Operation::atomic_wait && thread.pending.object == &cell &&
                       !thread.notified;
    if (waits) waiters.insert(t);
  }
  if (recording) record_notification(cell, waiters, all);
  if (waiters.empty()) return true;
  const auto goes_on = [this](unsigned waiter) {
    if (options_.observer != nullptr) options_.observer->woke(*thread_slots_[waiter]);
    Thread& thread = *thread_slots_[waiter];
    thread.notified = true;
    enabled.insert(waiter);
    if (thread.pending.special) refresh(thread);
  };
  if (all) {
    waiters.for_each(goes_on);
  } else {
    const unsigned chosen = choose_waiter(waiters, operation, where);
    if (ending) return false;
    act_alone(operation, thread_slots_[chosen]->key);
    if (recording) record_woken(chosen);
    goes_on(chosen);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Yields

// A sleep that is late is a timed wait for nothing.
bool Blocking::sleep_late(std::int64_t nanoseconds, Where where) {
  Thread& self = *current;
  const std::int64_t deadline = virtual_now() + nanoseconds;
  self.pending = {Operation::thread_late_sleep, nullptr, nullptr, where, true, true, true, deadline};
  self.is_in_a_set = true;
  ++special_waits_;
  add_slow_path_reason();
  refresh(self);
  Thread& next = after_stop(self);
  switch_to(next);
  if (!resume()) return false;
  if (recording) note_deadline(deadline);
  advance_clock(deadline);
  return true;
}

void Blocking::begin_next_round(Thread& thread) {
  if (thread.wrote_since_yield) thread.read_in_round.clear();
  thread.read_in_last_round.swap(thread.read_in_round);
  thread.read_in_round.clear();
}

bool Blocking::yield(Operation operation, std::int64_t nanoseconds, Where where) {
  Thread& self = *current;
  if (ending) {
    end_here();
    return false;
  }
  if (operation == Operation::thread_sleep && is_late(nanoseconds)) return sleep_late(nanoseconds, where);
  self.sleeps_for = std::max<std::int64_t>(nanoseconds, 0);
  self.pending.operation = operation;  // only this member: a poll has set the deadline of its wait
  self.pending.object = self.pending.second = nullptr;
  self.pending.where = where;
  enabled.insert(self.index);
  at_yield_.insert(self.index);
  add_slow_path_reason();
  self.is_in_a_set = true;
  Thread& next = after_stop(self);
  switch_to(next);
  if (ending) {
    end_here();
    return false;
  }
  if (is_futile(self)) ++self.futile_yields;
  act_alone(operation, 0);
  if (options_.reads_older_once) begin_next_round(self);
  self.has_yielded = true;
  self.wrote_since_yield = false;
  self.reads_since_yield.clear();
  raise_attention(Attention::to_all);
  if (operation == Operation::thread_sleep && self.mode != Mode::timeless && may_let_time_pass(self.index)) {
    if (recording) note_deadline(now_ + self.sleeps_for);
    advance_clock(now_ + self.sleeps_for);
    self.wrote_since_yield = false;  // the sleep itself caused the clock's move
  }
  last_yielded_ = true;
  leave_fast_path();
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Join

}  // namespace hocket::runtime
