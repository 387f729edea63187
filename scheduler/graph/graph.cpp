// Recording: the graph grows while its execution runs.
#include "graph.hpp"

#include <algorithm>
#include <cassert>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/objects/objects.hpp"
#include "../../runtime/terms/semantics.hpp"

namespace hocket {

using runtime::Access;
using runtime::ClassHash;
using runtime::clock_object;
using runtime::Decision;
using runtime::Effect;
using runtime::execution;
using runtime::Mode;
using runtime::Object;
using runtime::Operation;
using runtime::run;
using runtime::Thread;

// ---------------------------------------------------------------------------------------------------------------------
// Clocks

std::uint32_t Graph::new_clock() {
  const auto at = static_cast<std::uint32_t>(clocks_.size());
  clocks_.resize(clocks_.size() + width_, 0);
  return at;
}

std::uint32_t Graph::copy_clock(std::uint32_t of) {
  const std::uint32_t at = new_clock();
  std::copy_n(clock(of), width_, clock(at));
  return at;
}

void Graph::join_clock(std::uint32_t into, std::uint32_t from) {
  Count* a = clock(into);
  const Count* b = clock(from);
  for (unsigned n = 0; n < width_; ++n) a[n] = std::max(a[n], b[n]);
}

// Doubles the number of threads that clocks have room for.
void Graph::widen() {
  const unsigned before = width_;
  width_ *= 2;
  std::vector<Count> wider(clocks_.size() / before * width_, 0);
  for (std::size_t n = 0; n < clocks_.size() / before; ++n) {
    std::copy_n(clocks_.data() + n * before, before, wider.data() + n * width_);
  }
  clocks_ = std::move(wider);
  const auto moved = [&](std::uint32_t& at) {
    if (at != kNone) at = at / before * width_;
  };
  for (ThreadRecord& record : threads_) {
    moved(record.clock);
    for (Event& event : record.events) moved(event.clock);
    for (Stop& stop : record.stops) moved(stop.clock);
  }
  for (std::uint32_t n = 0; n < objects_used_; ++n) {
    moved(objects_[n].write_clock);
    moved(objects_[n].reads_clock);
  }
  top_.resize(width_, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads

void Graph::begin(const Thread& first) {
  ++execution_;
  used_ = 0;
  clocks_.clear();
  objects_used_ = 0;
  joins_.clear();
  waits_.clear();
  order_.clear();
  touches_.clear();
  has_guards_ = false;
  reads_.clear();
  parts_.clear();
  dirty_.clear();
  top_.assign(width_, 0);
  running_ = kNobody;
  hash_ = {};
  mark_ = {};
  is_settled_ = true;
  is_cut_short_ = false;
  has_values_ = false;
  expects_ = false;
  is_consistent_ = true;
  clock_object_ = object_number(clock_object());
  times_.assign(1, 0);
  ThreadRecord& record = enter(first);
  record.clock = new_clock();
}

Graph::ThreadRecord& Graph::enter(const Thread& thread) {
  while (thread.index >= width_) widen();
  if (thread.index >= threads_.size()) threads_.resize(thread.index + 1U);
  used_ = std::max(used_, thread.index + 1U);
  ThreadRecord& record = threads_[thread.index];
  record.thread = &thread;
  record.number = numbers_.number(thread.key);
  record.events.clear();
  record.stops.clear();
  record.sums.assign(1, {});
  record.clock_is_own = false;
  record.wait = kNone;
  return record;
}

void Graph::created(const Thread& thread) {
  ThreadRecord& child = enter(thread);
  child.clock = copy_clock(record(*thread.creator).clock);
}

// What a thread chooses before its first operation is part of its creator's step.
void Graph::started(const Thread& thread) {
  const ThreadRecord& child = record(thread);
  ThreadRecord& creator = record(*thread.creator);
  join_clock(creator.clock, child.clock);
  creator.clock_is_own = false;
}

void Graph::joined(const Thread& thread, const Thread& target) {
  ThreadRecord& joiner = record(thread);
  join_clock(joiner.clock, record(target).clock);
  joiner.clock_is_own = false;
  joins_.push_back({order_.size(), thread.index, target.index});
}

Graph::Stop& Graph::stop_of(const Thread& thread, ThreadRecord& record) {
  record.stops.resize(record.events.size() + 1);
  Stop& stop = record.stops.back();
  stop = Stop{};
  stop.is_there = true;
  stop.needs_others = !record.clock_is_own;
  stop.clock = copy_clock(record.clock);
  stop.wait = record.wait;
  stop.next_action = thread.next_action;
  stop.forbids_preemption = thread.preemption_forbidden != 0;
  has_guards_ |= stop.forbids_preemption;
  return stop;
}

void Graph::stopped(const Thread& thread, bool is_free) {
  settle(run.hash);
  ThreadRecord& of = record(thread);
  const runtime::Pending& pending = thread.pending;
  if (pending.operation == Operation::atomic_wait && !is_free) {
    of.wait = static_cast<std::uint32_t>(waits_.size());
    waits_.push_back({object_number(*pending.object)});
  }
  Stop& stop = stop_of(thread, of);
  stop.operation = pending.operation;
  // A thread that left the queue of a condition variable by itself needs no notification.
  stop.must_be_woken = of.wait != kNone && runtime::needs_notification(pending.operation);
  assert(stop.must_be_woken || thread.notified || !runtime::needs_notification(pending.operation));
  if (pending.object != nullptr) stop.object = object_number(*pending.object);
  if (runtime::may_expire(pending.operation) || thread.polls) {
    stop.timed = pending.timed;
    stop.special = pending.special;
    stop.is_late = pending.is_late;
    stop.time = pending.deadline;
    if (pending.second != nullptr) stop.second = object_number(*pending.second);
  }
  if (runtime::semantics_of(pending.operation).effect == Effect::writes_both &&
      thread.waits_with != nullptr) {
    stop.second = object_number(*thread.waits_with);
  }
  note_parts(stop, thread);
  stop.expected = thread.expected;
  stop.may_fail_spuriously = thread.may_fail_spuriously;
  const bool is_yield = runtime::is_yield(pending.operation);
  if (pending.operation == runtime::Operation::thread_sleep) stop.time = thread.sleeps_for;
  stop.may_be_futile = is_yield && thread.has_yielded && !thread.wrote_since_yield;
  stop.is_guarded = thread.is_guarded;
  stop.polls = thread.polls;
  stop.lets_time_pass = thread.looks.lets_time_pass;
  if (stop.is_guarded) {
    bool unchanged = true;
    note_reads(stop, thread.awaited, unchanged);
    stop.has_changed = !unchanged;
  } else if (is_yield && thread.has_yielded) {
    note_reads(stop, thread.reads_since_yield, stop.may_be_futile);
  }
}

void Graph::note_parts(Stop& stop, const Thread& thread) {
  stop.first_part = static_cast<std::uint32_t>(parts_.size());
  for (const Object* part : thread.parts_touched) parts_.push_back(object_number(*part));
  stop.parts = static_cast<std::uint32_t>(parts_.size()) - stop.first_part;
}

// Sets `unchanged` to false if one of the objects is gone.
void Graph::note_reads(Stop& stop, const std::vector<Thread::Read>& reads, bool& unchanged) {
  stop.first_read = static_cast<std::uint32_t>(reads_.size());
  for (const Thread::Read& read : reads) {
    if (read.object == nullptr) {
      unchanged = false;
    } else {
      reads_.push_back({object_number(*read.object), read});
    }
  }
  stop.reads = static_cast<std::uint32_t>(reads_.size()) - stop.first_read;
}

// ---------------------------------------------------------------------------------------------------------------------
// Events

Graph::Event& Graph::new_event(unsigned thread) {
  ThreadRecord& record = threads_[thread];
  record.events.emplace_back();
  record.sums.push_back(record.sums.back());
  Event& event = record.events.back();
  event.clock = copy_clock(record.clock);
  const auto count = static_cast<Count>(record.events.size());
  clock(event.clock)[thread] = count;
  clock(record.clock)[thread] = count;
  record.clock_is_own = true;
  top_[thread] = count;
  event.first_touch = static_cast<std::uint32_t>(touches_.size());
  order_.push_back({thread, count});
  running_ = thread;
  is_settled_ = false;
  return event;
}

// The runtime derives which threads can run from the actual objects, the graph from its recording.
bool Graph::agrees(unsigned thread, Mode mode) const {
  const Situation now = situation(top());
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
  return now.enabled == run.enabled;
}

void Graph::chose_thread(const Thread& thread, Mode mode) {
  settle(run.hash);
  assert(agrees(thread.index, mode));
  ThreadRecord& of = record(thread);
  const Stop& stop = of.stops[of.events.size()];
  const std::uint32_t wait = of.wait;
  Event& event = new_event(thread.index);
  event.operation = stop.operation;
  event.mode = mode;
  event.is_late = mode == Mode::expire && stop.is_late;
  if (stop.must_be_woken) {
    if (wait != kNone && waits_[wait].is_woken) {
      const EventName& waker = waits_[wait].woken_by;
      join_clock(event.clock, threads_[waker.thread].events[waker.count - 1].clock);
      join_clock(of.clock, event.clock);
    }
    of.wait = kNone;
  }
}

void Graph::met_values(const Thread& thread, Operation operation, std::uint32_t count, std::uint16_t price) {
  ThreadRecord& of = record(thread);
  // No action has been done yet that would distinguish this state from the one before the step.
  const Decision decision = runtime::semantics_of(operation).decides;
  if (decision == Decision::spurious_failure) mark_ = undecided(thread.next_action);
  settle(run.hash);
  Stop& stop = stop_of(thread, of);
  stop.is_value = true;
  stop.operation = operation;
  stop.count = count;
  stop.price = price;
  if (thread.pending.object != nullptr && decision != Decision::value) {
    stop.object = object_number(*thread.pending.object);
    note_parts(stop, thread);
  }
  has_values_ = true;
}

void Graph::chose_value(const Thread& thread, std::uint32_t value) {
  ThreadRecord& of = record(thread);
  const Stop& stop = of.stops[of.events.size()];
  const Operation operation = stop.operation;
  const bool is_waiter = runtime::semantics_of(operation).decides == Decision::waiter;
  const std::uint32_t object = is_waiter ? stop.object : kNone;
  const std::uint16_t price = value == 0 ? std::uint16_t{0} : stop.price;
  mark_ = {};
  Event& event = new_event(thread.index);
  event.operation = operation;
  event.is_value = true;
  event.value = value;
  event.price = price;
  // Which thread a notification wakes is part of the notification, so later accesses to the object come
  // after this choice.
  if (object != kNone) objects_[object].write_clock = event.clock;
}

void Graph::settle(const ClassHash& class_hash) {
  if (is_settled_) return;
  is_settled_ = true;
  ClassHash hash = class_hash;
  hash += mark_;
  ThreadRecord& of = threads_[running_];
  Event& event = of.events.back();
  event.delta = hash;
  event.delta -= hash_;
  of.sums.back() += event.delta;
  hash_ = hash;
  if (expects_ && event.delta != expected_) is_consistent_ = false;
  expects_ = false;
  for (const std::uint32_t number : dirty_) {
    ObjectRecord& object = objects_[number];
    object.states.resize(object.writes.size() + 1);
    if (number == clock_object_) times_.resize(object.writes.size() + 1, execution.time.now());
    object.states.back() = object.destroyed_at == kNone && object.kind->fingerprint != nullptr
                               ? object.kind->fingerprint(*object.object)
                               : 0;
    if (object.kind->sections == nullptr) continue;
    object.sections.resize(object.writes.size() + 1);
    object.sections.back() = object.destroyed_at == kNone ? object.kind->sections(*object.object) : 0;
  }
  dirty_.clear();
}

void Graph::finish(const runtime::ExecutionResult& result) {
  if (running_ == kNobody) return;
  expects_ &= result.outcome == runtime::Outcome::completed;
  settle(result.hash);
  if (result.outcome == runtime::Outcome::completed || result.outcome == runtime::Outcome::pruned) return;
  if (result.outcome == runtime::Outcome::failed) {
    using runtime::FailureKind;
    const FailureKind kind = execution.failure().kind;
    const bool is_between_steps = kind == FailureKind::deadlock || kind == FailureKind::step_limit ||
                                  kind == FailureKind::livelock || kind == FailureKind::spin;
    if (is_between_steps) return;
  }
  is_cut_short_ = true;
  // The event was cut short, so its contribution to the hash is computed as if it had completed.
  ThreadRecord& of = threads_[running_];
  Event& event = of.events.back();
  std::vector<Count> before(top_);
  --before[running_];
  const Situation was = situation(before.data());
  event.delta = event.is_value ? value_delta(before.data(), running_, event.value)
                               : step_delta(before.data(), was, running_, event.mode);
  of.sums.back() = of.sums[of.sums.size() - 2];
  of.sums.back() += event.delta;
}

void Graph::acted(const Object& object, Access access) {
  const std::uint32_t number = object_number(object);
  ThreadRecord& of = threads_[running_];
  Event& event = of.events.back();
  ObjectRecord& known = objects_[number];
  touches_.push_back({number, access == Access::write});
  ++event.touches;
  if (known.write_clock != kNone) join_clock(event.clock, known.write_clock);
  if (access == Access::read) {
    if (known.reads_clock == kNone) {
      const std::uint32_t at = copy_clock(event.clock);
      objects_[number].reads_clock = at;
    } else {
      join_clock(known.reads_clock, event.clock);
    }
  } else {
    if (known.reads_clock != kNone) join_clock(event.clock, known.reads_clock);
    known.reads_clock = kNone;
    known.write_clock = event.clock;
    known.writes.push_back({running_, static_cast<Count>(of.events.size())});
    if (event.operation == Operation::destroy)
      known.destroyed_at = static_cast<std::uint32_t>(known.writes.size());
    if (dirty_.empty() || dirty_.back() != number) dirty_.push_back(number);
    if (event.operation == Operation::condition_wait && object.kind == &runtime::kConditionVariableKind) {
      of.wait = static_cast<std::uint32_t>(waits_.size());
      waits_.push_back({number});
    }
  }
  join_clock(of.clock, event.clock);
}

void Graph::over(bool is_cut_short) {
  if (is_cut_short) expects_ = false;
  settle(run.hash);
}

void Graph::woke(const Thread& thread) {
  const std::uint32_t wait = record(thread).wait;
  if (wait == kNone) return;
  waits_[wait].is_woken = true;
  waits_[wait].woken_by = {running_, static_cast<Count>(threads_[running_].events.size())};
}

// ---------------------------------------------------------------------------------------------------------------------
// Objects

std::uint32_t Graph::known_object(std::uint64_t key) const {
  for (std::size_t at = key & (object_slots_.size() - 1);; at = (at + 1) & (object_slots_.size() - 1)) {
    const Slot& slot = object_slots_[at];
    if (slot.execution != execution_) return kNone;
    if (slot.key == key) return slot.object;
  }
}

std::uint32_t Graph::object_number(const Object& object) {
  if (object_slots_.size() < (objects_used_ + 1) * std::size_t{2}) {
    object_slots_.assign(std::max<std::size_t>(64, object_slots_.size() * 2), {});
    const std::uint32_t known = objects_used_;
    for (std::uint32_t n = 0; n < known; ++n) {
      std::size_t at = objects_[n].key & (object_slots_.size() - 1);
      while (object_slots_[at].execution == execution_) at = (at + 1) & (object_slots_.size() - 1);
      object_slots_[at] = {objects_[n].key, execution_, n};
    }
  }
  if (const std::uint32_t known = known_object(object.key); known != kNone) {
    assert(objects_[known].kind == object.kind);
    return known;
  }
  std::size_t at = object.key & (object_slots_.size() - 1);
  while (object_slots_[at].execution == execution_) at = (at + 1) & (object_slots_.size() - 1);
  object_slots_[at] = {object.key, execution_, objects_used_};
  if (objects_used_ == objects_.size()) objects_.emplace_back();
  ObjectRecord& fresh = objects_[objects_used_];
  fresh.key = object.key;
  fresh.object = &object;
  fresh.kind = object.kind;
  fresh.writes.clear();
  fresh.states.assign(1, object.kind->fingerprint != nullptr ? object.kind->fingerprint(object) : 0);
  fresh.sections.assign(1, object.kind->sections != nullptr ? object.kind->sections(object) : 0);
  fresh.write_clock = kNone;
  fresh.reads_clock = kNone;
  fresh.destroyed_at = kNone;
  return objects_used_++;
}

}  // namespace hocket
