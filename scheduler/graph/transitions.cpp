#include "transitions.hpp"

#include <cassert>

namespace hocket::graph {

using runtime::Access;
using runtime::ClassHash;
using runtime::Decision;
using runtime::Effect;
using runtime::Mode;
using runtime::Need;
using runtime::Operation;
using runtime::Otherwise;
using runtime::Semantics;

bool Transitions::is_maximal(Cut cut, unsigned thread, std::vector<EventCount>& scratch) const {
  const EventCount last = cut[thread];
  const unsigned cut_short = recording_.cut_short();
  if (cut_short != kNobody && thread != cut_short && cut[cut_short] == cuts_.top()[cut_short]) return false;
  for (unsigned other = 0; other < recording_.threads(); ++other) {
    if (other == thread || cut[other] == 0) continue;
    if (recording_.clock(cuts_.last_event(cut, other).clock)[thread] >= last) return false;
  }
  const Event& event = cuts_.last_event(cut, thread);
  if (!recording_.has_values() && !event.depends_on_everybody()) return true;
  scratch.assign(cut, cut + recording_.width());
  --scratch[thread];
  const Enabled before = cuts_.enabled(scratch.data());
  if (before.chooser != kNobody) return before.chooser == thread && event.is_value;
  if (event.is_value) return false;
  if (event.mode == Mode::spurious) return before.wakable.contains(thread);
  if (event.is_late) return before.expirable.contains(thread);
  return event.operation != Operation::thread_sleep ||
         step_delta(scratch.data(), before, thread, event.mode) == event.delta;
}

ClassHash Transitions::action(
    Cut cut, std::uint64_t next_action, std::uint32_t object, Operation operation, Access access) const {
  ClassHash delta;
  const std::uint32_t now = cuts_.version(cut, object);
  delta.add(next_action, runtime::action_word(recording_.object(object).key,
                             access == Access::write ? now + 1 : now, operation, access));
  return delta;
}

bool Transitions::is_undecided(Cut cut, const NextEvent& next) const {
  return runtime::semantics_of(next.operation).decides == Decision::spurious_failure &&
         next.step().may_fail_spuriously && cuts_.holds_expected(cut, next);
}

template <class OnAccess, class OnDecision>
void Transitions::for_each_action(Cut cut, const Enabled& enabled, unsigned thread, Mode mode,
    OnAccess&& access, OnDecision&& decide) const {
  const NextEvent& next = cuts_.next(cut, thread);
  const NextStep& step = next.step();
  const Operation operation = next.operation;
  const Semantics& row = runtime::semantics_of(operation);
  const auto write_if = [&](bool writes) {
    const Access how = writes ? Access::write : Access::read;
    access(cuts_.object(cut, next), operation, how);
    for_each_part(next, how, access);
  };
  const auto let_time_pass = [&] { access(recording_.clock_object(), Operation::clock_now, Access::write); };
  if (step.is_guarded) {
    for (const auto& [object, read] : recording_.reads(step.reads)) {
      if (!cuts_.is_gone(cut, object)) access(object, operation, Access::read);
    }
    if (step.polls && (mode == Mode::expire || (step.lets_time_pass && cuts_.is_held_by_guard(cut, step))))
      let_time_pass();
  }
  const bool expires = mode == Mode::expire && !step.polls;  // a poll does not wait for a point in time
  switch (row.effect) {
    case Effect::none:
      if (expires) access(recording_.clock_object(), operation, Access::write);
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
      if (step.second != kNone) access(step.second, operation, Access::write);
      break;
    case Effect::takes:
      if (expires) let_time_pass();
      write_if(
          !expires && (row.otherwise != Otherwise::fails || cuts_.can_take(cut, next, row.needs, thread)));
      break;
    case Effect::takes_second:
      if (mode == Mode::run) {
        access(step.second == kNone ? next.object : step.second, operation, Access::write);
        break;
      }
      if (step.must_be_woken && !cuts_.is_woken(cut, next))
        access(next.object, runtime::operation_of_step(operation, mode), Access::write);
      if (expires) let_time_pass();
      break;
    case Effect::exchanges:
      write_if(cuts_.holds_expected(cut, next));
      break;
  }
  switch (row.decides) {
    case Decision::nothing:
    case Decision::value:             // an event of its own
    case Decision::spurious_failure:  // an event of its own, too
    case Decision::waiters:           // each is one
      break;
    case Decision::waiter: {
      const std::vector<unsigned> waiting = cuts_.waiters(cut, next.object);
      if (waiting.size() == 1) decide(recording_.key(waiting.front()));
      break;
    }
    case Decision::turn:
      decide(0);
      break;
    case Decision::turn_and_time: {
      decide(0);
      runtime::ThreadSet useful = enabled.runnable;
      useful -= enabled.futile;
      useful.erase(thread);
      if (useful.empty()) let_time_pass();
      break;
    }
  }
}

ClassHash Transitions::step_delta(Cut cut, const Enabled& enabled, unsigned thread, Mode mode) const {
  const NextEvent& next = cuts_.next(cut, thread);
  std::uint64_t at = next.next_action;
  ClassHash delta;
  const bool is_open = is_undecided(cut, next);
  bool has_moved_clock = false;  // later accesses in this step see the new version
  for_each_action(
      cut, enabled, thread, mode,
      [&](std::uint32_t object, Operation operation, Access how) {
        if (is_open && how == Access::write) return;  // the write is part of the next event
        const bool is_clock = object == recording_.clock_object();
        if (has_moved_clock && is_clock) {
          delta.add(at, runtime::action_word(
                            recording_.object(object).key, cuts_.version(cut, object) + 1, operation, how));
        } else {
          delta += action(cut, at, object, operation, how);
        }
        has_moved_clock |= is_clock && how == Access::write;
        at += runtime::kActionStride;
      },
      [&](std::uint64_t outcome) {
        delta.add(at, runtime::outcome_word(next.operation, outcome));
        at += runtime::kActionStride;
      });
  if (is_open) delta += Recording::undecided(at);
  return delta;
}

void Transitions::accesses(
    Cut cut, const Enabled& enabled, unsigned thread, Mode mode, std::vector<ObjectAccess>& out) const {
  out.clear();
  for_each_action(
      cut, enabled, thread, mode,
      [&](std::uint32_t object, Operation, Access how) {
        out.push_back({object, how == Access::write});
      },
      [](std::uint64_t) {});
}

bool Transitions::dependencies(unsigned thread, std::vector<ObjectAccess>& out) const {
  out.clear();
  if (!recording_.is_stopped(thread)) return true;
  const Cut top = cuts_.top();
  const NextEvent& next = cuts_.next(top, thread);
  if (runtime::is_yield(next.operation)) return next.is_plain_yield() && !next.forbids_preemption;
  if (!next.is_value())
    accesses(top, Enabled{}, thread, Mode::run, out);  // a yield would need to know who is enabled
  const Semantics& row = runtime::semantics_of(next.operation);
  if (row.needs != Need::nothing) {
    if (next.object != kNone) out.push_back({cuts_.object(top, next), true});
    if (!next.is_value() && next.step().second != kNone) out.push_back({next.step().second, true});
  }
  if (next.is_value()) return !next.forbids_preemption;
  const NextStep& step = next.step();
  for (const auto& [object, read] : recording_.reads(step.reads)) out.push_back({object, false});
  const bool may_wake_spuriously =
      recording_.has_spurious_wakeups() && row.otherwise == Otherwise::waits_in_queue && step.must_be_woken;
  return !step.timed && !may_wake_spuriously && !next.forbids_preemption;
}

ClassHash Transitions::value_delta(Cut cut, unsigned thread, std::uint32_t value) const {
  const NextEvent& next = cuts_.next(cut, thread);
  assert(value < next.value().count);
  ClassHash delta;
  std::uint64_t at = next.next_action;
  const auto decide = [&](std::uint64_t outcome) {
    delta.add(at, runtime::outcome_word(next.operation, outcome));
    at += runtime::kActionStride;
  };
  switch (runtime::semantics_of(next.operation).decides) {
    case Decision::value:
    case Decision::waiters:
      decide(value);
      break;
    case Decision::spurious_failure: {
      if (value != 0) decide(1);
      const Access how = value != 0 ? Access::read : Access::write;
      const auto act = [&](std::uint32_t object, Operation operation, Access access) {
        delta += action(cut, at, object, operation, access);
        at += runtime::kActionStride;
      };
      act(next.object, next.operation, how);
      for_each_part(next, how, act);
      delta -= Recording::undecided(next.next_action);
      break;
    }
    case Decision::waiter:
      decide(recording_.key(cuts_.waiters(cut, next.object)[value]));
      break;
    case Decision::nothing:
    case Decision::turn:
    case Decision::turn_and_time:
      assert(false);
  }
  return delta;
}

}  // namespace hocket::graph
