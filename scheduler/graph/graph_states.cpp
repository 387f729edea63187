// Queries about a cut: which threads are enabled, what their steps would add to the class and what they cost.
//
// What an operation needs and does comes from its row in semantics.hpp, as in the runtime. The state of the
// objects comes from the recording. Each event of an execution is compared with what was predicted here: see
// is_consistent().
#include <algorithm>
#include <cassert>
#include <limits>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/objects/objects.hpp"
#include "../../runtime/terms/prices.hpp"
#include "../../runtime/terms/semantics.hpp"
#include "graph.hpp"

namespace hocket {

using runtime::Access;
using runtime::ClassHash;
using runtime::Decision;
using runtime::Effect;
using runtime::Mode;
using runtime::Need;
using runtime::Operation;
using runtime::Otherwise;
using runtime::Semantics;

ClassHash Graph::hash(Cut cut) const {
  ClassHash sum;
  for (unsigned thread = 0; thread < used_; ++thread) sum += threads_[thread].sums[cut[thread]];
  return sum;
}

bool Graph::is_there(Cut cut, const Stop& stop) const {
  if (!stop.is_there) return false;
  if (!stop.needs_others) return true;
  const Count* needed = clock(stop.clock);
  for (unsigned thread = 0; thread < used_; ++thread) {
    if (needed[thread] > cut[thread]) return false;
  }
  return true;
}

bool Graph::is_maximal(Cut cut, unsigned thread, std::vector<Count>& scratch) const {
  const Count last = cut[thread];
  if (is_cut_short_ && thread != running_ && cut[running_] == top_[running_]) return false;
  for (unsigned other = 0; other < used_; ++other) {
    if (other == thread || cut[other] == 0) continue;
    if (clock(last_event(cut, other).clock)[thread] >= last) return false;
  }
  const Event& event = last_event(cut, thread);
  if (!has_values_ && !depends_on_everybody(event)) return true;
  scratch.assign(cut, cut + width_);
  --scratch[thread];
  const Situation before = situation(scratch.data());
  if (before.chooser != kNobody) return before.chooser == thread && event.is_value;
  if (event.is_value) return false;
  if (event.mode == Mode::spurious) return before.wakable.contains(thread);
  if (event.is_late) return before.expirable.contains(thread);
  return event.operation != Operation::thread_sleep ||
         step_delta(scratch.data(), before, thread, event.mode) == event.delta;
}

// ---------------------------------------------------------------------------------------------------------------------
// Objects at a cut

std::uint32_t Graph::version(Cut cut, std::uint32_t object) const {
  // The writes of an object are totally ordered, so those in the cut come first.
  const std::vector<EventName>& writes = objects_[object].writes;
  const auto end = std::partition_point(
      writes.begin(), writes.end(), [&](const EventName& write) { return contains(cut, write); });
  return static_cast<std::uint32_t>(end - writes.begin());
}

std::uint64_t Graph::state(Cut cut, std::uint32_t object) const {
  return objects_[object].states[version(cut, object)];
}

std::uint64_t Graph::sections(Cut cut, std::uint32_t lock) const {
  return objects_[lock].sections[version(cut, lock)];
}

bool Graph::holds_expected(Cut cut, const Stop& stop) const {
  if (stop.parts == 0) return state(cut, stop.object) == stop.expected;
  std::vector<runtime::PartState> parts;
  for (std::uint32_t n = 0; n < stop.parts; ++n) {
    const std::uint32_t part = parts_[stop.first_part + n];
    parts.push_back({objects_[part].object, state(cut, part)});
  }
  const ObjectRecord& atomic = objects_[stop.object];
  return atomic.kind->fingerprint_from_parts(*atomic.object, parts) == stop.expected;
}

bool Graph::is_woken(Cut cut, const Stop& stop) const {
  return waits_[stop.wait].is_woken && contains(cut, waits_[stop.wait].woken_by);
}

bool Graph::is_gone(Cut cut, std::uint32_t object) const {
  return object != kNone && objects_[object].destroyed_at != kNone &&
         version(cut, object) >= objects_[object].destroyed_at;
}

bool Graph::can_take(Cut cut, std::uint32_t object, Need need, unsigned thread) const {
  return runtime::can_take(*objects_[object].kind, state(cut, object), need, key(thread));
}

/// The state that a stopped thread finds at a cut, as semantics.hpp queries it.
struct Graph::StateAtCut {
  const Graph& graph;
  Cut cut;
  const Stop& stop;
  unsigned thread;

  [[nodiscard]] bool can_take(Need need) const { return graph.can_take(cut, stop.object, need, thread); }
  [[nodiscard]] bool can_take_second() const {
    return stop.second == kNone || graph.can_take(cut, stop.second, Need::lock, thread);
  }
  [[nodiscard]] bool is_notified() const { return !stop.must_be_woken || graph.is_woken(cut, stop); }
  [[nodiscard]] bool is_gone() const {
    return graph.is_gone(cut, stop.second == kNone ? stop.object : stop.second);
  }
};

inline bool Graph::can_complete(Cut cut, const Stop& stop, unsigned thread) const {
  if (!stop.lets_time_pass && is_held_by_guard(cut, stop)) return false;
  if (runtime::semantics_of(stop.operation).needs == Need::nothing) return true;  // the common case
  return runtime::can_be_done(stop.operation, StateAtCut{*this, cut, stop, thread});
}

bool Graph::is_futile(Cut cut, const Stop& stop) const {
  return stop.may_be_futile && is_unchanged(cut, stop);
}

bool Graph::is_held_by_guard(Cut cut, const Stop& stop) const {
  return stop.is_guarded && !stop.has_changed && is_unchanged(cut, stop);
}

bool Graph::is_unchanged(Cut cut, const Stop& stop) const {
  for (std::uint32_t n = 0; n < stop.reads; ++n) {
    const auto& [object, read] = reads_[stop.first_read + n];
    if (!stop.polls ? version(cut, object) != read.version
                    : read.differs_from(read.is_of_sections ? sections(cut, object) : state(cut, object)))
      return false;
  }
  return true;
}

std::vector<unsigned> Graph::waiters(Cut cut, std::uint32_t object) const {
  std::vector<unsigned> waiting;
  for (unsigned thread = 0; thread < used_; ++thread) {
    const ThreadRecord& record = threads_[thread];
    if (cut[thread] >= record.stops.size()) continue;
    const Stop& stop = record.stops[cut[thread]];
    if (stop.is_there && stop.wait != kNone && waits_[stop.wait].object == object && !is_woken(cut, stop)) {
      waiting.push_back(thread);
    }
  }
  std::sort(waiting.begin(), waiting.end(), [&](unsigned a, unsigned b) {
    return runtime::named_before(*threads_[a].thread, *threads_[b].thread);
  });
  return waiting;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which threads can run, and what that costs

Graph::Situation Graph::situation(Cut cut) const {
  Situation now;
  for (unsigned thread = 0; thread < used_; ++thread) {
    const ThreadRecord& record = threads_[thread];
    if (cut[thread] >= record.stops.size()) continue;
    const Stop& stop = record.stops[cut[thread]];
    if (!is_there(cut, stop)) continue;
    if (stop.is_value) {
      now.chooser = thread;
      continue;
    }
    const bool can = can_complete(cut, stop, thread);
    if (can) {
      now.enabled.insert(thread);
      if (stop.forbids_preemption) now.forbidden.insert(thread);
      if (is_futile(cut, stop)) {
        now.futile.insert(thread);
      } else {
        now.somebody_is_useful = true;
      }
    }
    if (!stop.special) continue;
    const StateAtCut state{*this, cut, stop, thread};
    if (stop.timed && runtime::may_expire(stop.operation, state, stop.polls, can))
      now.expirable.insert(thread);
    if (spurious_wakeups_ && runtime::may_wake_spuriously(stop.operation, state)) now.wakable.insert(thread);
  }
  if (now.chooser != kNobody) now.forbidden.clear();
  if (!now.expirable.empty()) hold_late_waits(cut, now);
  // If only spurious wake-ups are left, this is a deadlock, because no program may rely on one.
  if (now.enabled.empty() && now.expirable.empty()) now.wakable.clear();
  return now;
}

void Graph::hold_late_waits(Cut cut, Situation& now) const {
  const auto stop_at = [&](unsigned thread) -> const Stop& { return threads_[thread].stops[cut[thread]]; };
  bool is_any_late = false;
  now.expirable.for_each([&](unsigned thread) { is_any_late |= stop_at(thread).is_late; });
  if (!is_any_late) return;
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  now.expirable.for_each([&](unsigned thread) { first_end = std::min(first_end, stop_at(thread).time); });
  const std::int64_t time = times_[version(cut, clock_object_)];
  now.enabled.for_each([&](unsigned thread) {
    if (stop_at(thread).operation == Operation::thread_sleep)
      first_end = std::min(first_end, time + stop_at(thread).time);
  });
  const runtime::ThreadSet expirable = now.expirable;
  expirable.for_each([&](unsigned thread) {
    const Stop& stop = stop_at(thread);
    if (stop.is_late && (now.somebody_is_useful || stop.time > first_end)) now.expirable.erase(thread);
  });
}

bool Graph::yielded_last(Cut cut, unsigned thread) const {
  const std::vector<Event>& events = threads_[thread].events;
  for (Count n = cut[thread]; n != 0; --n) {
    const Event& event = events[n - 1];
    if (event.is_value) continue;
    return runtime::is_yield(event.operation);
  }
  return false;
}

bool Graph::is_plain_yield(const Stop& stop) {
  using runtime::Sabotage;
  if (stop.operation == Operation::thread_sleep)
    return runtime::is_sabotaged(Sabotage::sleeps_conflict_with_nothing);
  const bool may_be_futile =
      stop.may_be_futile && !runtime::is_sabotaged(Sabotage::futile_yields_conflict_with_nothing);
  return stop.operation == Operation::thread_yield && !may_be_futile;
}

unsigned Graph::price(Cut cut, const Situation& situation, unsigned last, const Successor& next) const {
  if (next.is_value) {
    return next.value == 0 ? 0 : threads_[next.thread].stops[cut[next.thread]].price;
  }
  if (const unsigned kept = kept_running(situation, last); kept != kNobody) {
    return next.thread == kept ? runtime::price_without_preemption(next.mode) : kImpossible;
  }
  // The first step is free, whichever thread takes it.
  const bool last_counts = last != kNobody && situation.enabled.contains(last) &&
                           !situation.futile.contains(last) && next.thread != last &&
                           !yielded_last(cut, last);
  if (next.mode == Mode::timeless) return kImpossible;  // in fair searches only
  return runtime::price_of(
      next.mode, {last_counts, false, situation.futile.contains(next.thread), situation.somebody_is_useful});
}

// ---------------------------------------------------------------------------------------------------------------------
// What an event adds to the class

ClassHash Graph::action(
    Cut cut, std::uint64_t next_action, std::uint32_t object, Operation operation, Access access) const {
  ClassHash delta;
  const std::uint32_t now = version(cut, object);
  delta.add(next_action,
      runtime::action_word(objects_[object].key, access == Access::write ? now + 1 : now, operation, access));
  return delta;
}

bool Graph::is_undecided(Cut cut, const Stop& stop) const {
  return runtime::semantics_of(stop.operation).decides == Decision::spurious_failure &&
         stop.may_fail_spuriously && holds_expected(cut, stop);
}

template <class OnTouch, class OnDecision>
void Graph::for_each_action(Cut cut, const Situation& situation, unsigned thread, Mode mode, OnTouch&& touch,
    OnDecision&& decide) const {
  const Stop& stop = threads_[thread].stops[cut[thread]];
  const Operation operation = stop.operation;
  const Semantics& row = runtime::semantics_of(operation);
  const StateAtCut state{*this, cut, stop, thread};
  const auto write_if = [&](bool writes) {
    const Access access = writes ? Access::write : Access::read;
    touch(stop.object, operation, access);
    for_each_part(stop, access, touch);
  };
  const auto let_time_pass = [&] { touch(clock_object_, Operation::clock_now, Access::write); };
  if (stop.is_guarded) {
    for (std::uint32_t n = 0; n < stop.reads; ++n) {
      const std::uint32_t object = reads_[stop.first_read + n].object;
      if (!is_gone(cut, object)) touch(object, operation, Access::read);
    }
    if (stop.polls && (mode == Mode::expire || (stop.lets_time_pass && is_held_by_guard(cut, stop))))
      let_time_pass();
  }
  const bool expires = mode == Mode::expire && !stop.polls;  // a poll does not wait for a point in time
  switch (row.effect) {
    case Effect::none:
      if (expires) let_time_pass();
      break;
    case Effect::reads:  // a wait on an atomic reads it once more
      write_if(false);
      if (expires) let_time_pass();
      break;
    case Effect::writes:
      write_if(true);
      break;
    case Effect::writes_both:
      write_if(true);
      if (stop.second != kNone) touch(stop.second, operation, Access::write);
      break;
    case Effect::takes:
      if (expires) let_time_pass();
      write_if(!expires && (row.otherwise != Otherwise::fails || state.can_take(row.needs)));
      break;
    case Effect::takes_second:
      if (mode == Mode::run) {
        touch(stop.second == kNone ? stop.object : stop.second, operation, Access::write);
        break;
      }
      if (!state.is_notified())
        touch(stop.object, runtime::operation_of_step(operation, mode), Access::write);
      if (expires) let_time_pass();
      break;
    case Effect::exchanges:
      write_if(holds_expected(cut, stop));
      break;
  }
  switch (row.decides) {
    case Decision::nothing:
    case Decision::value:             // an event of its own
    case Decision::spurious_failure:  // an event of its own, too
      break;
    case Decision::waiter: {
      const std::vector<unsigned> waiting = waiters(cut, stop.object);
      if (waiting.size() == 1) decide(key(waiting.front()));
      break;
    }
    case Decision::turn:
      decide(0);
      break;
    case Decision::turn_and_time: {
      decide(0);
      runtime::ThreadSet useful = situation.enabled;
      useful -= situation.futile;
      useful.erase(thread);
      if (useful.empty()) let_time_pass();
      break;
    }
  }
}

ClassHash Graph::step_delta(Cut cut, const Situation& situation, unsigned thread, Mode mode) const {
  const Stop& stop = threads_[thread].stops[cut[thread]];
  std::uint64_t at = stop.next_action;
  ClassHash delta;
  const bool is_open = is_undecided(cut, stop);
  bool has_moved_clock = false;  // later accesses in this step see the new version
  for_each_action(
      cut, situation, thread, mode,
      [&](std::uint32_t object, Operation operation, Access access) {
        if (is_open && access == Access::write) return;  // the write is part of the next event
        if (has_moved_clock && object == clock_object_) {
          delta.add(
              at, runtime::action_word(objects_[object].key, version(cut, object) + 1, operation, access));
        } else {
          delta += action(cut, at, object, operation, access);
        }
        has_moved_clock |= object == clock_object_ && access == Access::write;
        at += runtime::kActionStride;
      },
      [&](std::uint64_t outcome) {
        delta.add(at, runtime::outcome_word(stop.operation, outcome));
        at += runtime::kActionStride;
      });
  if (is_open) delta += undecided(at);
  return delta;
}

void Graph::touches(
    Cut cut, const Situation& situation, unsigned thread, Mode mode, std::vector<Touch>& out) const {
  out.clear();
  for_each_action(
      cut, situation, thread, mode,
      [&](std::uint32_t object, Operation, Access access) {
        out.push_back({object, access == Access::write});
      },
      [](std::uint64_t) {});
}

bool Graph::dependencies(unsigned thread, std::vector<Touch>& out) const {
  out.clear();
  if (!is_stopped(thread)) return true;
  const Stop& stop = threads_[thread].stops[top_[thread]];
  if (runtime::is_yield(stop.operation)) return is_plain_yield(stop) && !stop.forbids_preemption;
  if (!stop.is_value)
    touches(top(), Situation{}, thread, Mode::run, out);  // a yield would need the situation
  const Semantics& row = runtime::semantics_of(stop.operation);
  if (row.needs != Need::nothing) {
    if (stop.object != kNone) out.push_back({stop.object, true});
    if (stop.second != kNone) out.push_back({stop.second, true});
  }
  for (std::uint32_t n = 0; n < stop.reads; ++n) out.push_back({reads_[stop.first_read + n].object, false});
  const bool may_wake_spuriously =
      spurious_wakeups_ && row.otherwise == Otherwise::waits_in_queue && stop.must_be_woken;
  return !stop.timed && !may_wake_spuriously && !stop.forbids_preemption;
}

ClassHash Graph::value_delta(Cut cut, unsigned thread, std::uint32_t value) const {
  const Stop& stop = threads_[thread].stops[cut[thread]];
  ClassHash delta;
  std::uint64_t at = stop.next_action;
  const auto decide = [&](std::uint64_t outcome) {
    delta.add(at, runtime::outcome_word(stop.operation, outcome));
    at += runtime::kActionStride;
  };
  switch (runtime::semantics_of(stop.operation).decides) {
    case Decision::value:
      decide(value);
      break;
    case Decision::spurious_failure: {
      if (value != 0) decide(1);
      const Access access = value != 0 ? Access::read : Access::write;
      const auto act = [&](std::uint32_t object, Operation operation, Access how) {
        delta += action(cut, at, object, operation, how);
        at += runtime::kActionStride;
      };
      act(stop.object, stop.operation, access);
      for_each_part(stop, access, act);
      delta -= undecided(stop.next_action);
      break;
    }
    case Decision::waiter:
      decide(key(waiters(cut, stop.object)[value]));
      break;
    case Decision::nothing:
    case Decision::turn:
    case Decision::turn_and_time:
      assert(false);
  }
  return delta;
}

std::uint16_t Graph::check(Cut cut, const Situation& situation) const {
  std::uint64_t word = situation.chooser;
  for (unsigned thread = 0; thread < used_; ++thread) {
    const ThreadRecord& record = threads_[thread];
    if (cut[thread] >= record.stops.size()) continue;
    const Stop& stop = record.stops[cut[thread]];
    if (!is_there(cut, stop)) continue;
    const std::uint64_t what = static_cast<std::uint64_t>(stop.operation) << 32U | stop.count;
    word += runtime::mix(key(thread) ^ what, stop.object == kNone ? 0 : objects_[stop.object].key);
  }
  const auto folded = static_cast<std::uint16_t>(word ^ word >> 16U ^ word >> 32U ^ word >> 48U);
  return folded == 0 ? std::uint16_t{1} : folded;
}

}  // namespace hocket
