#include "recording.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/objects/objects.hpp"
#include "../../runtime/terms/sabotage.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "cuts.hpp"
#include "transitions.hpp"

namespace hocket::graph {

using runtime::Access;
using runtime::ClassHash;
using runtime::Decision;
using runtime::Effect;
using runtime::execution;
using runtime::Mode;
using runtime::Object;
using runtime::Operation;
using runtime::run;
using runtime::Thread;

// ---------------------------------------------------------------------------------------------------------------------
// Threads

void Recording::widen() {
  clocks_.widen();
  const auto moved = [&](VectorClocks::Place& at) { at = clocks_.moved(at); };
  for (RecordedThread& record : threads_) {
    moved(record.clock);
    for (Event& event : record.events) moved(event.clock);
    for (NextEvent& next : record.next) moved(next.clock);
  }
  for (std::uint32_t n = 0; n < objects_.size(); ++n) {
    moved(objects_[n].write_clock);
    moved(objects_[n].reads_clock);
  }
  completed_.resize(width(), 0);
}

void Recording::begin(const Thread& first) {
  used_ = 0;
  clocks_.clear();
  objects_.begin();
  joins_.clear();
  waits_.clear();
  order_.clear();
  accesses_.clear();
  reads_.clear();
  parts_.clear();
  dirty_.clear();
  completed_.assign(width(), 0);
  has_guards_ = false;
  has_values_ = false;
  is_cut_short_ = false;
  running_ = kNobody;
  hash_ = {};
  mark_ = {};
  is_settled_ = true;
  expected_.reset();
  is_consistent_ = true;
  clock_object_ = objects_.number(runtime::clock_object());
  times_.assign(1, 0);
  RecordedThread& record = enter(first);
  record.clock = clocks_.make();
}

RecordedThread& Recording::enter(const Thread& thread) {
  while (thread.index >= width()) widen();
  if (thread.index >= threads_.size()) threads_.resize(thread.index + 1U);
  used_ = std::max(used_, thread.index + 1U);
  RecordedThread& record = threads_[thread.index];
  record.thread = &thread;
  record.number = numbers_.number(thread.key);
  if (by_number_.size() <= record.number) by_number_.resize(record.number + 1U);
  by_number_[record.number] = thread.index;
  record.events.clear();
  record.next.clear();
  record.sums.assign(1, {});
  record.clock_is_own = false;
  record.wait = kNone;
  return record;
}

void Recording::created(const Thread& thread) {
  RecordedThread& child = enter(thread);
  child.clock = clocks_.copy(record(*thread.creator).clock);
}

// What a thread chooses before its first operation is part of its creator's step.
void Recording::started(const Thread& thread) {
  const RecordedThread& child = record(thread);
  RecordedThread& creator = record(*thread.creator);
  clocks_.join(creator.clock, child.clock);
  creator.clock_is_own = false;
}

void Recording::joined(const Thread& thread, const Thread& target) {
  RecordedThread& joiner = record(thread);
  clocks_.join(joiner.clock, record(target).clock);
  joiner.clock_is_own = false;
  joins_.push_back({order_.size(), thread.index, target.index});
}

bool Recording::has_lost_a_leak(runtime::Outcome outcome) const {
  if (outcome != runtime::Outcome::completed || !execution.threads.any_detached() ||
      !run.options.detect.contains(runtime::Detector::detached_threads))
    return false;
  for (unsigned t = 1; t < used_; ++t) {
    if (threads_[t].thread->handle == Thread::Handle::detached &&
        clocks_[threads_[0].clock][t] < completed_[t])
      return true;
  }
  return false;
}

bool Recording::has_joined_in_last_step() const {
  std::size_t step = order_.size();
  while (step != 0 && event(step - 1).is_value) --step;
  return !joins_.empty() && joins_.back().event >= step;
}

// ---------------------------------------------------------------------------------------------------------------------
// What comes next

NextEvent& Recording::stop(const Thread& thread, RecordedThread& record) {
  record.next.resize(record.events.size() + 1);
  NextEvent& next = record.next.back();
  next = NextEvent{};
  next.needs_others = !record.clock_is_own;
  next.clock = clocks_.copy(record.clock);
  next.wait = record.wait;
  next.next_action = thread.next_action;
  next.forbids_preemption = thread.preemption_forbidden != 0;
  has_guards_ |= next.forbids_preemption;
  return next;
}

void Recording::enqueue(RecordedThread& thread, std::uint32_t object) {
  thread.wait = static_cast<std::uint32_t>(waits_.size());
  waits_.push_back({object});
}

void Recording::stopped(const Thread& thread, bool is_free) {
  settle(run.hash);
  RecordedThread& of = record(thread);
  const runtime::Pending& pending = thread.pending;
  if (pending.operation == Operation::atomic_wait && !is_free) enqueue(of, objects_.number(*pending.object));
  NextEvent& next = stop(thread, of);
  next.operation = pending.operation;
  if (pending.object != nullptr) next.object = objects_.number(*pending.object);
  next.parts = note_parts(thread);
  auto& step = next.what.emplace<NextStep>();
  // A thread that left the queue of a condition variable by itself needs no notification.
  step.must_be_woken = of.wait != kNone && runtime::needs_notification(pending.operation);
  assert(step.must_be_woken || thread.notified || !runtime::needs_notification(pending.operation));
  if (runtime::may_expire(pending.operation) || thread.polls) {
    step.timed = pending.timed;
    step.special = pending.special;
    step.is_late = pending.is_late;
    step.time = pending.deadline;
    if (pending.second != nullptr) step.second = objects_.number(*pending.second);
  }
  if (runtime::semantics_of(pending.operation).effect == Effect::writes_both &&
      thread.observed.waits_with != nullptr)
    step.second = objects_.number(*thread.observed.waits_with);
  step.expected = thread.observed.expected;
  step.may_fail_spuriously = thread.observed.may_fail_spuriously;
  const bool is_yield = runtime::is_yield(pending.operation);
  if (pending.operation == Operation::thread_sleep) step.time = thread.sleeps_for;
  step.may_be_futile = is_yield && thread.has_yielded && !thread.wrote_since_yield;
  step.is_guarded = thread.is_guarded;
  step.polls = thread.polls;
  step.lets_time_pass = thread.instrumented.looks.lets_time_pass;
  bool all_exist = true;
  if (step.is_guarded) {
    step.reads = note_reads(thread.awaited, all_exist);
    step.has_changed = !all_exist;
  } else if (is_yield && thread.has_yielded) {
    step.reads = note_reads(thread.reads_since_yield, all_exist);
    step.may_be_futile &= all_exist;
  }
}

Range Recording::note_parts(const Thread& thread) {
  const auto first = static_cast<std::uint32_t>(parts_.size());
  for (const Object* part : thread.instrumented.parts_touched) parts_.push_back(objects_.number(*part));
  return {first, static_cast<std::uint32_t>(parts_.size()) - first};
}

// Sets `all_exist` to false if one of the objects is gone.
Range Recording::note_reads(const std::vector<Thread::Read>& reads, bool& all_exist) {
  const auto first = static_cast<std::uint32_t>(reads_.size());
  for (const Thread::Read& read : reads) {
    if (read.object == nullptr) {
      all_exist = false;
    } else {
      reads_.push_back({objects_.number(*read.object), read});
    }
  }
  return {first, static_cast<std::uint32_t>(reads_.size()) - first};
}

// ---------------------------------------------------------------------------------------------------------------------
// Events

Event& Recording::new_event(unsigned thread) {
  assert(is_settled_ && is_stopped(thread));
  RecordedThread& record = threads_[thread];
  record.events.emplace_back();
  record.sums.push_back(record.sums.back());
  Event& event = record.events.back();
  event.clock = clocks_.copy(record.clock);
  const auto count = static_cast<EventCount>(record.events.size());
  clocks_[event.clock][thread] = count;
  clocks_[record.clock][thread] = count;
  record.clock_is_own = true;
  completed_[thread] = count;
  event.accesses.first = static_cast<std::uint32_t>(accesses_.size());
  order_.push_back({thread, count});
  running_ = thread;
  is_settled_ = false;
  return event;
}

// The runtime derives which threads can run from the actual objects, cuts from what is recorded.
bool Recording::agrees(unsigned thread, Mode mode) const {
  const Enabled now = Cuts(*this).enabled(completed());
  switch (mode) {
    case Mode::expire:
      return now.expirable.contains(thread) ||
             runtime::is_sabotaged(runtime::Sabotage::expiry_needs_the_mutex);
    case Mode::spurious:
      return now.wakable.contains(thread);
    case Mode::run:
    case Mode::timeless:
      break;
  }
  return now.runnable == run.enabled;
}

void Recording::chose_thread(const Thread& thread, Mode mode) {
  settle(run.hash);
  assert(agrees(thread.index, mode));
  RecordedThread& of = record(thread);
  const NextEvent& next = of.next[of.events.size()];
  const NextStep& step = next.step();
  Event& event = new_event(thread.index);
  event.operation = next.operation;
  event.mode = mode;
  event.is_late = mode == Mode::expire && step.is_late;
  if (!step.must_be_woken) return;
  if (of.wait != kNone && waits_[of.wait].is_woken) {
    const EventName& waker = waits_[of.wait].woken_by;
    clocks_.join(event.clock, threads_[waker.thread].events[waker.count - 1].clock);
    clocks_.join(of.clock, event.clock);
  }
  of.wait = kNone;
}

void Recording::met_values(
    const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) {
  RecordedThread& of = record(thread);
  // No action has been done yet that would distinguish this state from the one before the step.
  const Decision decision = runtime::semantics_of(operation).decides;
  if (decision == Decision::spurious_failure) mark_ = undecided(thread.next_action);
  settle(run.hash);
  NextEvent& next = stop(thread, of);
  next.operation = operation;
  next.what = NextValue{count, price};
  if (thread.pending.object != nullptr && decision != Decision::value) {
    next.object = objects_.number(*thread.pending.object);
    next.parts = note_parts(thread);
  }
  has_values_ = true;
}

void Recording::chose_value(const Thread& thread, std::uint32_t value) {
  const RecordedThread& of = record(thread);
  const NextEvent& next = of.next[of.events.size()];
  mark_ = {};
  Event& event = new_event(thread.index);
  event.operation = next.operation;
  event.is_value = true;
  event.value = value;
  event.price = value == 0 ? std::uint16_t{0} : next.value().price;
  // Which thread a notification wakes is part of the notification, so later accesses to the object come
  // after this choice.
  assert(value < next.value().count);
  const Decision decision = runtime::semantics_of(next.operation).decides;
  const bool is_waiter = decision == Decision::waiter || decision == Decision::waiters;
  if (!is_waiter || next.object == kNone) return;
  objects_[next.object].write_clock = event.clock;
  for (const std::uint32_t part : parts(next.parts)) objects_[part].write_clock = event.clock;
}

void Recording::settle(const ClassHash& class_hash) {
  if (is_settled_) return;
  is_settled_ = true;
  ClassHash hash = class_hash;
  hash += mark_;
  RecordedThread& of = threads_[running_];
  Event& event = of.events.back();
  event.delta = hash;
  event.delta -= hash_;
  of.sums.back() += event.delta;
  hash_ = hash;
  if (expected_.has_value() && event.delta != *expected_) is_consistent_ = false;
  expected_.reset();
  note_states();
}

void Recording::note_states() {
  for (const std::uint32_t number : dirty_) {
    RecordedObject& object = objects_[number];
    const bool exists = object.destroyed_at == kNone;
    const std::size_t versions = object.writes.size() + 1;
    if (number == clock_object_) times_.resize(versions, execution.time.now());
    object.states.resize(versions);
    object.states.back() =
        exists && object.kind->fingerprint != nullptr ? object.kind->fingerprint(*object.object) : 0;
    if (object.kind->sections == nullptr) continue;
    object.sections.resize(versions);
    object.sections.back() = exists ? object.kind->sections(*object.object) : 0;
  }
  dirty_.clear();
}

void Recording::finish(const runtime::ExecutionResult& result) {
  if (running_ == kNobody) return;
  if (result.outcome != runtime::Outcome::completed) expected_.reset();
  settle(result.hash);
  if (result.outcome == runtime::Outcome::completed || result.outcome == runtime::Outcome::pruned) return;
  if (result.outcome == runtime::Outcome::failed) {
    using runtime::FailureKind;
    const FailureKind kind = runtime::Execution::failure().kind;
    const bool is_between_steps = kind == FailureKind::deadlock || kind == FailureKind::step_limit ||
                                  kind == FailureKind::livelock || kind == FailureKind::spin;
    if (is_between_steps) return;
  }
  is_cut_short_ = true;
  // The event was cut short, so its contribution to the hash is computed as if it had completed.
  RecordedThread& of = threads_[running_];
  Event& event = of.events.back();
  std::vector<EventCount> before(completed_);
  --before[running_];
  const Cuts cuts(*this);
  const Transitions transitions(cuts);
  event.delta = transitions.delta(before.data(), event.is_value ? Enabled{} : cuts.enabled(before.data()),
      {running_, event.is_value, event.mode, event.value});
  of.sums.back() = of.sums[of.sums.size() - 2];
  of.sums.back() += event.delta;
}

void Recording::acted(const Object& object, Access access) {
  const std::uint32_t number = objects_.number(object);
  RecordedThread& of = threads_[running_];
  Event& event = of.events.back();
  RecordedObject& known = objects_[number];
  accesses_.push_back({number, access == Access::write});
  ++event.accesses.size;
  if (known.write_clock != kNone) clocks_.join(event.clock, known.write_clock);
  if (access == Access::read) {
    if (known.reads_clock == kNone) {
      known.reads_clock = clocks_.copy(event.clock);
    } else {
      clocks_.join(known.reads_clock, event.clock);
    }
  } else {
    if (known.reads_clock != kNone) clocks_.join(event.clock, known.reads_clock);
    known.reads_clock = kNone;
    known.write_clock = event.clock;
    known.writes.push_back({running_, static_cast<EventCount>(of.events.size())});
    if (event.operation == Operation::destroy)
      known.destroyed_at = static_cast<std::uint32_t>(known.writes.size());
    if (dirty_.empty() || dirty_.back() != number) dirty_.push_back(number);
    if (event.operation == Operation::condition_wait && object.kind == &runtime::kConditionVariableKind)
      enqueue(of, number);
  }
  clocks_.join(of.clock, event.clock);
}

void Recording::over(bool is_cut_short) {
  if (is_cut_short) expected_.reset();
  settle(run.hash);
}

void Recording::woke(const Thread& thread) {
  const std::uint32_t wait = record(thread).wait;
  if (wait == kNone) return;
  waits_[wait].is_woken = true;
  waits_[wait].woken_by = {running_, static_cast<EventCount>(threads_[running_].events.size())};
}

void Recording::moved(const Thread& thread) {
  const std::uint32_t wait = record(thread).wait;
  if (wait == kNone || runtime::is_sabotaged(runtime::Sabotage::moves_to_other_futexes_are_unseen)) return;
  Wait& of = waits_[wait];
  const EventName by{running_, static_cast<EventCount>(threads_[running_].events.size())};
  of.moves.push_back({by, std::exchange(of.object, objects_.number(*thread.pending.object))});
}

}  // namespace hocket::graph
