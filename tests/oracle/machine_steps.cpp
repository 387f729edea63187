// The effects of a step of the abstract machine.
#include <algorithm>
#include <optional>
#include <vector>

#include "tests/oracle/machine.hpp"
#include "tests/oracle/step.hpp"

namespace hocket::oracle {

State Machine::begin(Surroundings& surroundings) const {
  State state;
  for (unsigned o = 0; o < program_.objects.size(); ++o) state.objects[o].value = program_.objects[o].initial;
  state.threads[0].frame = first_frame(program_);
  state.started = 1;
  run_on(state, 0, surroundings);
  return state;
}

bool Machine::happens(State& state, const Event& event, Surroundings& surroundings) {
  if (surroundings.happened(event)) state.cut = Cut::raced;
  return state.cut == Cut::none;
}

void Machine::run_on(State& state, unsigned thread, Surroundings& surroundings) const {
  ThreadState& self = state.threads[thread];
  self.phase = Phase::runs;
  for (;;) {
    const std::optional<Instruction> instruction = next(program_, thread, self.frame);
    if (!instruction) break;
    self.at = *instruction;
    int result = 0;
    const unsigned o = instruction->object;
    const auto goes_on_after = [&](Event::Kind kind) {
      return happens(state, {thread, kind, o, instruction->order}, surroundings);
    };
    const bool is_var = o < program_.objects.size() && program_.objects[o].kind == Kind::var;
    switch (instruction->verb) {
      case Verb::make:
        if (is_var && !goes_on_after(Event::Kind::write)) return;
        break;
      case Verb::destroy:
        if (!is_var) {  // destroying any other object is a step
          self.phase = Phase::before;
          return;
        }
        if (!goes_on_after(Event::Kind::write)) return;
        break;
      case Verb::read_var:
        if (!goes_on_after(Event::Kind::read)) return;
        result = state.objects[o].value;
        break;
      case Verb::write_var:
        if (!goes_on_after(Event::Kind::write)) return;
        state.objects[o].value = instruction->value;
        break;
      case Verb::fence:
        goes_on_after(Event::Kind::fence);
        break;
      case Verb::forbid_preemption:
      case Verb::allow_preemption:
        break;
      case Verb::choose: {
        const auto count = static_cast<unsigned>(instruction->value);
        const unsigned value = count > 1 ? surroundings.choose(count, 0) : 0;
        Step(state, thread).ends_with_outcome(value);
        result = static_cast<int>(value);
        break;
      }
      case Verb::start: {
        ThreadState& child = state.threads[instruction->object];
        unsigned ordinal = 1;
        for (unsigned t = 0; t < kMostThreads; ++t) ordinal += self.frame.started >> t & 1U;
        child.ordinal = static_cast<std::uint8_t>(ordinal);
        child.frame = child_frame(self.frame);
        child.seen_time = self.seen_time;
        state.in_order_of_start[state.started++] = instruction->object;
        goes_on_after(Event::Kind::start);
        run_on(state, instruction->object, surroundings);
        if (state.cut != Cut::none) return;
        break;
      }
      case Verb::join:
        if (state.threads[instruction->object].phase != Phase::ended) {
          self.phase = Phase::joins;
          return;
        }
        goes_on_after(Event::Kind::join);
        break;
      case Verb::assume:
      case Verb::check:
        if (self.frame.seen == instruction->expected) break;
        state.cut = instruction->verb == Verb::assume ? Cut::dropped : Cut::failed;
        if (state.cut == Cut::failed) state.failed = {static_cast<std::uint8_t>(thread), self.frame.place};
        return;
      default:
        self.phase = Phase::before;
        self.over_at = static_cast<std::int8_t>(self.seen_time + instruction->value);
        return;
    }
    complete(self.frame, *instruction, result);
    surroundings.completed(thread, *instruction, result);
  }
  self.phase = Phase::ended;
  self.at = {};
  const unsigned parent = program_.threads[thread].parent;
  ThreadState& joiner = state.threads[parent];
  if (parent != thread && joiner.phase == Phase::joins && joiner.at.object == thread) {
    const Instruction join = joiner.at;
    happens(state, {parent, Event::Kind::join, thread}, surroundings);
    complete(joiner.frame, join, 0);
    surroundings.completed(parent, join, 0);
    run_on(state, parent, surroundings);
  }
}

void Machine::wake(State& state, unsigned thread) const {
  ThreadState& t = state.threads[thread];
  if (t.phase == Phase::releases) {
    t.is_notified = true;
  } else {
    t.phase = t.phase == Phase::parked ? Phase::roused : Phase::woken;
  }
}

// When a thread runs because something has changed, its step depends on every object that it has watched.
bool Machine::step_of_await(State& state, unsigned thread, Step& step, Surroundings& surroundings) const {
  ThreadState& self = state.threads[thread];
  const bool looks_again = self.phase == Phase::looks;
  const unsigned object = looks_again ? self.at.mutex : self.at.object;
  if (self.phase == Phase::watches) {
    for (unsigned o = 0; o < kMostObjects; ++o) {
      if ((self.watched >> o & 1U) != 0 && o != object) step.reads(o);
    }
  }
  step.reads(object);
  happens(state, {thread, Event::Kind::load, object}, surroundings);
  if (!looks_again) self.watched = 0;
  // The version that the thread read first must not have changed when the thread waits.
  const auto bit = static_cast<std::uint8_t>(1U << object);
  if ((self.watched & bit) == 0) self.seen_version[object] = state.objects[object].version;
  self.watched |= bit;
  const bool is_so = state.objects[object].value == (looks_again ? self.at.value : self.at.expected);
  const bool is_either = self.at.verb == Verb::await_either;
  if (is_so && (looks_again || is_either)) {
    self.watched = 0;
    self.seen_version = {};
    return true;
  }
  const bool is_decided = looks_again || (!is_so && !is_either);
  self.phase = is_decided ? Phase::watches : Phase::looks;
  return false;
}

// A plain mutex is released in the step that enqueues the thread, and taken again in the step in which a
// notified thread continues. A shared mutex is released in a separate step while the thread is already
// waiting, and taken in another step after the wait. A thread that leaves the queue without a notification
// does so in a step that does not use the mutex, whatever its kind, and then waits for the mutex.
bool Machine::step_of_wait(State& state, Turn turn, Step& step, Surroundings& surroundings) const {
  ThreadState& self = state.threads[turn.thread];
  const Instruction& at = self.at;
  const auto reader = static_cast<std::uint8_t>(1U << turn.thread);
  ObjectState& mutex = state.objects[at.mutex];
  const auto does = [&](Event::Kind kind) { happens(state, {turn.thread, kind, at.mutex}, surroundings); };
  switch (self.phase) {
    case Phase::before:
      self.has_expired = false;
      self.takes_shared = false;
      step.writes(at.object);
      if (is_shared(at.mutex)) {
        self.takes_shared = (mutex.readers & reader) != 0;
        self.phase = Phase::releases;
      } else {
        step.writes(at.mutex);
        does(Event::Kind::unlock);
        mutex.owner = kNobody;
        self.phase = Phase::waits;
      }
      return false;
    case Phase::releases:
      step.writes(at.mutex);
      does(self.takes_shared ? Event::Kind::unlock_shared : Event::Kind::unlock);
      if (self.takes_shared) {
        mutex.readers &= static_cast<std::uint8_t>(~reader);
      } else {
        mutex.owner = kNobody;
      }
      self.phase = self.is_notified ? Phase::woken : Phase::waits;
      self.is_notified = false;
      return false;
    case Phase::retakes:
      step.writes(at.mutex);
      does(self.takes_shared ? Event::Kind::lock_shared : Event::Kind::lock);
      if (self.takes_shared) {
        mutex.readers |= reader;
      } else {
        mutex.owner = turn.thread;
      }
      return true;
    case Phase::waits:  // its time is over, or it wakes up spuriously
      step.writes(at.object);
      if (turn.way == Way::spurious) step.has_outcome(1);
      self.has_expired = turn.way == Way::expire;
      self.phase = Phase::retakes;
      return false;
    default:                          // notified
      if (turn.way == Way::expire) {  // but its time is over before it continues
        self.has_expired = true;
        self.phase = Phase::retakes;
        return false;
      }
      if (is_shared(at.mutex)) {
        step.writes(at.object);
        self.phase = Phase::retakes;
        return false;
      }
      step.writes(at.mutex);
      does(Event::Kind::lock);
      mutex.owner = turn.thread;
      return true;
  }
}

Last Machine::step(State& state, Turn turn, Surroundings& surroundings) const {
  ThreadState& self = state.threads[turn.thread];
  const Instruction at = self.at;
  ObjectState& object = state.objects[at.object];
  const std::uint8_t before = program_.is_fair ? able(state) : std::uint8_t{0};
  Step step(state, turn.thread);
  bool is_complete = true;
  int result = 0;

  const auto does = [&](Event::Kind kind, std::memory_order order = std::memory_order_seq_cst) {
    happens(state, {turn.thread, kind, at.object, order}, surroundings);
  };
  const auto wake_up = [&](bool all) {
    const std::vector<unsigned> asleep = sleepers(state, at);
    if (all) {
      for (const unsigned t : asleep) wake(state, t);
    } else if (!asleep.empty()) {
      const auto count = static_cast<unsigned>(asleep.size());
      const unsigned chosen = asleep[count > 1 ? surroundings.choose(count, 0) : 0];
      step.has_outcome(1 + chosen);
      wake(state, chosen);
    }
  };
  const auto take_if = [&](bool can) {  // in exclusive mode
    can ? step.writes(at.object) : step.reads(at.object);
    if (can) does(Event::Kind::lock);
    if (can) object.owner = turn.thread;
    return can ? 1 : 0;
  };
  const auto take_shared_if = [&](bool can) {
    can ? step.writes(at.object) : step.reads(at.object);
    if (can) does(Event::Kind::lock_shared);
    if (can) object.readers |= static_cast<std::uint8_t>(1U << turn.thread);
    return can ? 1 : 0;
  };
  const auto count_down_if = [&](bool can) {
    can ? step.writes(at.object) : step.reads(at.object);
    if (can) does(Event::Kind::acquire);
    if (can) --object.value;
    return can ? 1 : 0;
  };
  const bool runs = turn.way == Way::run;
  const bool is_yield = yields(at);
  const bool gives_way = is_yield || !runs;
  if (program_.is_fair && gives_way) state.gave_way |= static_cast<std::uint8_t>(1U << turn.thread);
  const auto move_clock = [&](int to) {
    step.writes(kClock);
    std::int8_t& now = state.objects[kClock].value;
    now = std::max(now, static_cast<std::int8_t>(to));
    self.seen_time = now;
    state.gave_way = 0;
  };
  if (turn.way == Way::expire) move_clock(self.over_at);

  switch (at.verb) {
    case Verb::load:
      step.reads(at.object);
      does(Event::Kind::load, at.order);
      result = object.value;
      break;
    case Verb::store:
      step.writes(at.object);
      does(Event::Kind::store, at.order);
      object.value = at.value;
      break;
    case Verb::add:
    case Verb::exchange:
      step.writes(at.object);
      does(Event::Kind::update, at.order);
      result = object.value;
      object.value = static_cast<std::int8_t>(at.verb == Verb::add ? object.value + at.value : at.value);
      break;
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak: {
      bool succeeds = object.value == at.expected;
      if (succeeds && at.verb == Verb::compare_exchange_weak && program_.spurious_failures &&
          surroundings.choose(2, 1) != 0) {
        succeeds = false;
        step.has_outcome(1);
      }
      succeeds ? step.writes(at.object) : step.reads(at.object);
      succeeds ? does(Event::Kind::update, at.order) : does(Event::Kind::load, at.failure);
      if (succeeds) object.value = at.value;
      result = succeeds ? 1 : 0;
      break;
    }
    case Verb::await_change:
      step.reads(at.object);
      does(Event::Kind::load, at.order);
      if (object.value == at.expected) {
        self.phase = Phase::parked;
        is_complete = false;
      }
      break;
    case Verb::await_values:
    case Verb::await_either:
      is_complete = step_of_await(state, turn.thread, step, surroundings);
      break;
    case Verb::wake_one:
    case Verb::wake_all:
      step.writes(at.object);
      wake_up(at.verb == Verb::wake_all);
      break;

    case Verb::lock:
    case Verb::try_lock:
    case Verb::try_lock_for:
      result = take_if(can_take(state, at));
      break;
    case Verb::unlock:
      step.writes(at.object);
      does(Event::Kind::unlock);
      object.owner = kNobody;
      break;
    case Verb::lock_shared:
    case Verb::try_lock_shared:
    case Verb::try_lock_shared_for:
      result = take_shared_if(can_take(state, at));
      break;
    case Verb::unlock_shared:
      step.writes(at.object);
      does(Event::Kind::unlock_shared);
      object.readers &= static_cast<std::uint8_t>(~(1U << turn.thread));
      break;

    case Verb::wait:
    case Verb::wait_for:
      is_complete = step_of_wait(state, turn, step, surroundings);
      result = self.has_expired ? 1 : 0;
      break;
    case Verb::notify_one:
    case Verb::notify_all:
      step.writes(at.object);
      wake_up(at.verb == Verb::notify_all);
      break;

    case Verb::acquire:
    case Verb::try_acquire:
    case Verb::try_acquire_for:
      result = count_down_if(can_take(state, at));
      break;
    case Verb::release:
      step.writes(at.object);
      does(Event::Kind::release);
      object.value = static_cast<std::int8_t>(object.value + at.value);
      break;

    case Verb::sleep:
      if (runs && may_let_time_pass(state, turn.thread)) {
        move_clock(state.objects[kClock].value + at.value);
      }
      break;
    case Verb::yield:
      break;
    case Verb::read_clock:
      step.reads(kClock);
      self.seen_time = state.objects[kClock].value;
      break;
    case Verb::destroy:
      step.writes(at.object);
      break;
    default:
      break;
  }
  step.ends();
  if (is_yield) step.is_a_yield();
  if (is_complete && state.cut == Cut::none) {
    complete(self.frame, at, result);
    surroundings.completed(turn.thread, at, result);
    run_on(state, turn.thread, surroundings);
  }
  if (program_.is_fair) {
    account_for(state, turn.thread, gives_way, before, able(state));
  }
  return {turn.thread, is_yield};
}

}  // namespace hocket::oracle
