// Operations that wait for other threads or for time: timed operations, condition variables, atomic waits,
// yields.
#include "blocking.hpp"

#include <algorithm>
#include <string>

#include "../diagnosis/misuse.hpp"
#include "../diagnosis/time_text.hpp"
#include "../terms/sabotage.hpp"
#include "../terms/semantics.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"
#include "locking.hpp"
#include "outside.hpp"

namespace hocket::runtime {

namespace {

/// "thread 1, thread 2", or "no thread".
std::string names_of(const ThreadSet& threads) {
  std::string text;
  threads.for_each([&](unsigned t) { text += (text.empty() ? "" : ", ") + describe(execution.thread(t)); });
  return text.empty() ? "no thread" : text;
}

/// Records that the current thread notifies those that wait for `object`.
void record_notification(const Object& object, const ThreadSet& waiters, bool wakes_all) {
  const OwnMemory own;
  Trace& trace = *run.trace();
  run.cold->recorded.notifications.add(
      {trace.number(object), trace.choices().size(), waiters, {}}, wakes_all);
  if (wakes_all || waiters.empty()) trace.note(names_of(waiters));
}

/// Records which thread was chosen from those that waited.
void record_woken(unsigned thread) {
  const OwnMemory own;
  run.cold->recorded.notifications.woke(thread);
  run.trace()->note(describe(execution.thread(thread)));
}

/// Records that the current thread wakes `most` of `meant`, which are some of those that wait for `object`.
void record_attempt(const Object& object, const ThreadSet& waiters, const ThreadSet& meant, unsigned most) {
  const OwnMemory own;
  Trace& trace = *run.trace();
  run.cold->recorded.notifications.add({trace.number(object), trace.choices().size(), waiters, {}}, false);
  if (most >= meant.size()) trace.note(names_of(meant));
}

/// Records which thread the choice that was made last is about.
void record_considered(unsigned thread) {
  const OwnMemory own;
  run.trace()->note(describe(execution.thread(thread)));
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Timed operations

std::int64_t Blocking::deadline_after(std::int64_t nanoseconds) {
  return run.current->seen_clock + std::max<std::int64_t>(nanoseconds, 0);
}

bool Blocking::arrive_timed(Object& object, Operation operation, std::int64_t nanoseconds, Where where) {
  if (object.life != run.life && !objects_.first_touch(object, operation, where)) return false;
  Thread& self = *run.current;
  if (run.ending) {
    verdict_.end_here();
    return false;
  }
  self.pending = {operation, &object, nullptr, where, true, true, EnabledThreads::is_late(nanoseconds),
      deadline_after(nanoseconds)};
  enabled_threads_.begin_special_wait(self);
  enabled_threads_.refresh(self);
  self.wait_in(*EnabledThreads::waiting_set(self.pending));
  const std::int64_t deadline = self.pending.deadline;
  if (!scheduling_.stop_here(self)) return false;
  if (run.recording) recording::note_deadline(deadline);
  if (self.mode == Mode::expire) {
    if (run.recording) run.trace()->expires(nanoseconds);
    advance_clock(deadline);
  }
  return true;
}

void Blocking::advance_clock(std::int64_t to) {
  // A late sleep is nothing else. If it passed time as a sleep before it does, that one with the time that it
  // takes would be the same class as that one without and this one.
  const bool is_late_sleep = run.current->pending.operation == Operation::thread_late_sleep;
  const Operation by = is_late_sleep ? Operation::thread_late_sleep : Operation::clock_now;
  time_.pass_until(to);
  run.current->seen_clock = time_.now();
  step::act(clock_object(), by, Access::write);
  run.cold->scheduling.fairness.time_passed();
}

std::int64_t Blocking::clock_now(Where where) {
  Object& clock = clock_object();
  if (step::arrive(clock, Operation::clock_now, true, where)) {
    step::act(clock, Operation::clock_now, Access::read);
    if (run.recording) recording::note_value(time_text(time_.now()));
  }
  run.current->seen_clock = time_.now();
  return time_.now();
}

// ---------------------------------------------------------------------------------------------------------------------
// Condition variables

bool Blocking::condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds,
    bool& expired, const std::function<void()>* unlock, Where where) {
  expired = false;
  if (run.attention != Attention::none) [[unlikely]]
    run.current->observed.waits_with = mutex;
  if (!step::arrive(condition, Operation::condition_wait, true, where)) return false;
  Thread& self = *run.current;
  if (mutex != nullptr) {
    if (mutex->life != run.life && !objects_.first_touch(*mutex, Operation::condition_wait, where))
      return false;
    if (mutex->state.owner != self.index) {
      const OwnMemory own;
      verdict_.fail(FailureKind::misuse,
          describe(self) + " waits on " + describe(condition) + " without holding " + describe(*mutex),
          where);
      return false;
    }
    if (condition.one_mutex && !condition.state.waiters.empty() &&
        misuse::waits_with_another_mutex(condition, *mutex, where)) {
      return false;
    }
    step::act(condition, Operation::condition_wait, Access::write);
    step::act(*mutex, Operation::condition_wait, Access::write);
    if (run.recording) run.trace()->gives_back(*mutex);
    no_longer_held(*mutex);
    if (mutex->state.unlock()) step::now_available(mutex->state.waiting);
  } else {
    step::act(condition, Operation::condition_wait, Access::write);
  }
  const bool timed = nanoseconds != kForever;
  if (timed && run.recording) recording::note_deadline(deadline_after(nanoseconds));
  condition.state.waiters.insert(self.index);
  self.notified = false;
  if (unlock != nullptr) (*unlock)();
  if (run.ending) {
    verdict_.end_here();
    return false;
  }

  const bool special = timed || run.options.spurious_wakeups;
  self.pending = {Operation::condition_reacquire, &condition, mutex, where, special, timed,
      timed && EnabledThreads::is_late(nanoseconds), deadline_after(nanoseconds)};
  const std::int64_t deadline = self.pending.deadline;
  self.is_in_a_set = true;
  if (special) enabled_threads_.begin_special_wait(self);
  enabled_threads_.refresh(self);
  if (!scheduling_.stop_here(self)) return false;

  if (self.mode != Mode::run) {
    if (!self.notified) {  // otherwise it has left the queue, and the condition variable may be gone
      condition.state.waiters.erase(self.index);
      step::act(condition, operation_of_step(Operation::condition_reacquire, self.mode), Access::write);
    }
    if (self.mode == Mode::expire) {
      expired = true;
      if (run.recording) run.trace()->expires(nanoseconds);
      advance_clock(deadline);
    }
    if (mutex != nullptr && !stop_to_reacquire(*mutex, where)) return false;
  } else if (mutex == nullptr) {
    step::act(*self.pending.object, Operation::condition_reacquire,
        Access::write);  // on the condition variable or what remains of it
  }
  if (mutex != nullptr) lock(*mutex, Operation::condition_reacquire);
  return true;
}

// A thread that has stopped waiting by itself waits for the mutex like any other thread, whichever thread
// held the mutex at that time.
bool Blocking::stop_to_reacquire(Mutex& mutex, Where where) {
  Thread& self = *run.current;
  self.notified = true;
  self.pending = {Operation::condition_reacquire, self.pending.object, &mutex, where};
  self.wait_in(mutex.state.waiting);
  run.enabled.assign(self.index, EnabledThreads::can_be_done(self));
  return scheduling_.stop_here(self);
}

void Blocking::wake(Thread& thread) {
  if (run.options.observer != nullptr) run.options.observer->woke(thread);
  thread.notified = true;
  const bool waits =
      thread.state == Thread::State::stopped && thread.pending.operation == Operation::condition_reacquire;
  if (!waits) return;  // it is still unlocking and will find itself notified
  if (ThreadSet* waiting = EnabledThreads::waiting_set(thread.pending); waiting != nullptr)
    thread.wait_in(*waiting);
  enabled_threads_.refresh(thread);
}

std::uint32_t Blocking::choose_waiter(const ThreadSet& waiters, Operation operation, Where where) {
  const unsigned count = waiters.size();
  if (count == 1) return threads_.least_named(waiters);
  std::uint32_t nth = scheduling_.choose_value(operation, count, 0, where);
  ThreadSet left = waiters;
  while (nth-- > 0) left.erase(threads_.least_named(left));
  return threads_.least_named(left);
}

void Blocking::condition_notify(ConditionVariable& condition, bool all, Where where) {
  const Operation operation = all ? Operation::condition_notify_all : Operation::condition_notify_one;
  if (!step::arrive(condition, operation, true, where)) return;
  step::act(condition, operation, Access::write);
  ThreadSet& waiters = condition.state.waiters;
  if (run.recording) record_notification(condition, waiters, all);
  if (waiters.empty()) return;
  if (all) {
    waiters.for_each([&](unsigned t) { wake(threads_[t]); });
    waiters.clear();
  } else {
    const unsigned chosen = choose_waiter(waiters, operation, where);
    if (run.ending) return;
    Actions::act_alone(operation, threads_[chosen].key);
    waiters.erase(chosen);
    if (run.recording) record_woken(chosen);
    wake(threads_[chosen]);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Waiting on atomics

bool Blocking::atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context,
    std::memory_order order, std::int64_t nanoseconds, bool& expired, Where where) {
  expired = false;
  run.current->notified = true;  // true for a thread that has not begun to wait
  if (!step::arrive(cell, Operation::atomic_wait, true, where)) return false;
  Thread& self = *run.current;
  const std::int64_t deadline = deadline_after(nanoseconds);
  Object* at = &cell;  // a futex may be another one when the wait ends
  for (;;) {
    step::act(*at, Operation::atomic_wait, Access::read, order);
    if (!is_unchanged(context)) return true;
    self.notified = false;
    if (nanoseconds == kForever) {
      if (!Scheduling::stop_until_enabled(cell, Operation::atomic_wait, where)) return false;
    } else {
      self.pending = {Operation::atomic_wait, &cell, nullptr, where, true, true,
          EnabledThreads::is_late(nanoseconds), deadline};
      enabled_threads_.begin_special_wait(self);
      enabled_threads_.refresh(self);
      if (!scheduling_.stop_here(self)) return false;
    }
    at = self.pending.object;
    if (self.mode == Mode::expire) {
      expired = true;
      if (run.recording) run.trace()->expires(nanoseconds);
      step::act(*at, Operation::atomic_wait, Access::read, order);
      advance_clock(deadline);
      return true;
    }
  }
}

// A thread sleeps only if the newest value is the old one: the kernel compares with that.
bool Blocking::atomic_wait(AtomicRequest request) {
  Object& cell = request.object;
  Thread& self = *run.current;
  self.notified = true;  // it has not begun to wait
  if (!step::arrive(cell, Operation::atomic_wait, true, request.where)) return false;
  for (;;) {
    Store* const found = stores_.choose_store(request);
    if (found == nullptr) return false;
    stores_.act_on_store(request, *found, false, nullptr);
    if (!request.finds_expected(*found)) return true;
    stores_.act_on_queue(cell, Operation::atomic_wait);
    self.notified = false;
    if (!Scheduling::stop_until_enabled(cell, Operation::atomic_wait, request.where)) return false;
  }
}

void Blocking::atomic_notify(Object& cell, bool all, Where where) {
  const Operation operation = all ? Operation::atomic_notify_all : Operation::atomic_notify_one;
  if (!step::arrive(cell, operation, true, where)) return;
  if (run.keeps_stores && cell.kind->keeps_stores) {
    stores_.act_on_queue(cell, operation);
  } else {
    step::act(cell, operation, Access::write);
  }
  const ThreadSet waiters = waiters_at(cell);
  if (run.recording) record_notification(cell, waiters, all);
  if (waiters.empty()) return;
  const auto goes_on = [this](unsigned waiter) { wake_at_atomic(threads_[waiter]); };
  if (all) {
    waiters.for_each(goes_on);
  } else {
    const unsigned chosen = choose_waiter(waiters, operation, where);
    if (run.ending) return;
    Actions::act_alone(operation, threads_[chosen].key);
    if (run.recording) record_woken(chosen);
    goes_on(chosen);
  }
}

ThreadSet Blocking::waiters_at(const Object& cell) const {
  ThreadSet waiters;
  for (unsigned t = 0; t < threads_.count(); ++t) {
    const Thread& thread = threads_[t];
    const bool waits = thread.state == Thread::State::stopped &&
                       thread.pending.operation == Operation::atomic_wait && thread.pending.object == &cell &&
                       !thread.notified;
    if (waits) waiters.insert(t);
  }
  return waiters;
}

ThreadSet Blocking::choose_waiters(ThreadSet waiters, unsigned most, Operation operation, Where where) {
  ThreadSet chosen;
  const bool chooses = !is_sabotaged(Sabotage::one_waiter_is_always_the_first);
  while (most != 0 && most < waiters.size()) {
    const unsigned next = threads_.least_named(waiters);
    const bool is_passed_over = chooses && scheduling_.choose_value(operation, 2, 0, where) != 0;
    if (run.ending) return chosen;
    if (chooses) Actions::act_alone(operation, is_passed_over ? 1 : 0);
    if (run.recording) record_considered(next);
    waiters.erase(next);
    if (is_passed_over) continue;
    chosen.insert(next);
    --most;
  }
  if (most != 0) chosen |= waiters;
  return chosen;
}

ThreadSet Blocking::wake_some(
    const Object& cell, const ThreadSet& meant, unsigned most, Operation operation, Where where) {
  if (run.recording) record_attempt(cell, waiters_at(cell), meant, most);
  const ThreadSet chosen = choose_waiters(meant, most, operation, where);
  if (run.ending) return {};
  chosen.for_each([&](unsigned waiter) {
    if (run.recording) run.cold->recorded.notifications.woke(waiter);
    wake_at_atomic(threads_[waiter]);
  });
  return chosen;
}

void Blocking::move(Thread& waiter, Object& to) {
  waiter.pending.object = &to;
  if (run.options.observer != nullptr) run.options.observer->moved(waiter);
}

// ---------------------------------------------------------------------------------------------------------------------
// Yields

// A sleep that is late is a timed wait for nothing.
bool Blocking::sleep_late(std::int64_t nanoseconds, Where where) {
  Thread& self = *run.current;
  const std::int64_t deadline = deadline_after(nanoseconds);
  self.pending = {Operation::thread_late_sleep, nullptr, nullptr, where, true, true, true, deadline};
  enabled_threads_.begin_special_wait(self);
  enabled_threads_.refresh(self);
  if (!scheduling_.stop_here(self)) return false;
  if (run.recording) recording::note_deadline(deadline);
  advance_clock(deadline);
  return true;
}

void Blocking::begin_next_round(Thread& thread) {
  if (thread.wrote_since_yield) thread.read_in_round.clear();
  thread.read_in_last_round.swap(thread.read_in_round);
  thread.read_in_round.clear();
}

bool Blocking::yield(Operation operation, std::int64_t nanoseconds, Where where) {
  Thread& self = *run.current;
  if (run.ending) {
    verdict_.end_here();
    return false;
  }
  if (operation == Operation::thread_sleep && EnabledThreads::is_late(nanoseconds))
    return sleep_late(nanoseconds, where);
  self.sleeps_for = std::max<std::int64_t>(nanoseconds, 0);
  self.pending.operation = operation;  // only this member: a poll has set the deadline of its wait
  self.pending.object = self.pending.second = nullptr;
  self.pending.where = where;
  enabled_threads_.stop_at_yield(self);
  if (!scheduling_.stop_here(self)) return false;
  if (EnabledThreads::is_futile(self)) ++self.futile_yields;
  Actions::act_alone(operation, 0);
  if (run.options.reads_older_once) begin_next_round(self);
  self.has_yielded = true;
  self.wrote_since_yield = false;
  self.reads_since_yield.clear();
  run.raise_attention(Attention::to_all);
  if (operation == Operation::thread_sleep && self.mode != Mode::timeless &&
      enabled_threads_.may_let_time_pass(self.index)) {
    if (run.recording) recording::note_sleep(self.sleeps_for, time_.now() + self.sleeps_for);
    advance_clock(time_.now() + self.sleeps_for);
    self.wrote_since_yield = false;  // the sleep itself caused the clock's move
  } else if (operation == Operation::thread_sleep && run.recording) {
    recording::note_sleep(self.sleeps_for, {});
  }
  Scheduling::has_yielded();
  return true;
}
}  // namespace hocket::runtime
