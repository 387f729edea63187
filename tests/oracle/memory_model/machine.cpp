#include "tests/oracle/memory_model/machine.hpp"

#include <algorithm>
#include <utility>

namespace hocket::memory_model {

namespace {

bool is_update(const Event& event) {
  return event.reads && event.writes;
}

/// Whether a read-modify-write stands behind the write at `place`, having read it.
bool is_read_by_update(const Execution& execution, unsigned location, std::size_t place) {
  const auto& writes = execution.modifications[location];
  if (place + 1 >= writes.size()) return false;
  const Event& following = execution.at(writes[place + 1]);
  return is_update(following) && following.from == writes[place];
}

/// To be called when an event is appended: gives it its clock.
void note(State& state, unsigned thread) {
  state.now[thread].tick(thread);
  state.clocks.push_back(state.now[thread]);
  state.released.emplace_back();
}

void look_for_races(State& state) {
  const Execution& execution = state.partial.execution;
  const Event& access = execution.events.back();
  for (std::size_t i = kLocations; i + 1 < execution.events.size(); ++i) {
    const Event& other = execution.events[i];
    const bool conflict = other.kind == EventKind::access && other.object == access.object &&
                          (other.writes || access.writes) && (other.is_plain || access.is_plain);
    if (conflict && !state.clocks.back().includes(other)) state.has_race = true;
  }
}

/// The effects on clocks of an access that was appended.
void order(State& state, unsigned thread) {
  const Event& event = state.partial.execution.events.back();
  Clock& now = state.now[thread];
  now.tick(thread);
  Clock of_release;
  if (event.reads && !event.is_plain) {
    of_release = state.released[static_cast<std::size_t>(event.from)];
    state.observed[thread].join(of_release);
    if (acquires(event.order)) now.join(of_release);
  }
  state.clocks.push_back(now);
  Clock& released = state.released.emplace_back();
  if (event.writes && !event.is_plain) {
    released = releases(event.order) ? now : state.fenced[thread];
    if (event.reads) released.join(of_release);  // it continues the release sequence
  }
  look_for_races(state);
}

/// Fences add nothing to operations that are all seq_cst.
bool asks_for_less(const Instruction& instruction) {
  switch (instruction.verb) {
    case Verb::compare_exchange:
    case Verb::compare_exchange_weak:
      return instruction.order != Order::seq_cst || instruction.failure != Order::seq_cst;
    case Verb::load:
    case Verb::store:
    case Verb::add:
    case Verb::exchange:
    case Verb::wait:
      return instruction.order != Order::seq_cst;
    default:
      return false;
  }
}

}  // namespace

void Clock::join(const Clock& other) {
  for (std::size_t i = 0; i < events_.size(); ++i) events_[i] = std::max(events_[i], other.events_[i]);
}

State Machine::begin() const {
  State state;
  state.partial = beginning_of(program_);
  state.clocks.resize(kLocations);
  state.released.resize(kLocations);
  for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
    if (!is_started(program_, thread)) run_on(state, thread);
  }
  return state;
}

bool Machine::is_enabled(State& state, unsigned thread) const {
  const Progress& progress = state.partial.threads[thread];
  if (!progress.has_begun || progress.is_asleep) return false;
  const Instruction* const next = next_of(program_, state.partial, thread);
  if (next == nullptr || next->verb == Verb::join) return false;
  if (progress.must_lock_again) return state.partial.is_free(next->mutex);
  return next->verb != Verb::lock || state.partial.is_free(next->object);
}

std::vector<Outcome> Machine::step(const State& before, unsigned thread) {
  State state = before;
  state.asked_for_less = false;
  PartialExecution& partial = state.partial;
  Progress& progress = partial.threads[thread];
  const Instruction& instruction = *next_of(program_, partial, thread);
  if (asks_for_less(instruction)) state.asked_for_less = true;
  std::vector<Outcome> outcomes;
  const bool locks_again = std::exchange(progress.must_lock_again, false);
  switch (instruction.verb) {
    case Verb::lock:
    case Verb::unlock:
    case Verb::sleep: {
      const unsigned mutex = instruction.verb == Verb::sleep ? instruction.mutex : instruction.object;
      if (instruction.verb == Verb::lock || locks_again) {
        state.now[thread].join(state.mutexes[mutex]);
        partial.append_to_mutex(thread, EventKind::lock, mutex);
        note(state, thread);
      } else {
        const bool sleeps = instruction.verb == Verb::sleep;
        partial.append_to_mutex(thread, sleeps ? EventKind::sleep : EventKind::unlock, mutex);
        note(state, thread);
        state.mutexes[mutex] = state.now[thread];
        if (sleeps) partial.fall_asleep(kLocations + instruction.object);
        progress.must_lock_again = sleeps;
      }
      if (!progress.must_lock_again) ++progress.place;
      outcomes.push_back({std::move(state), {}});
      break;
    }
    case Verb::notify_one:
    case Verb::notify_all:
      notify(state, thread, instruction, instruction.object, outcomes);
      break;
    case Verb::wake_one:
    case Verb::wake_all:
      notify(state, thread, instruction, kLocations + instruction.object, outcomes);
      break;
    default:
      access(state, thread, instruction, outcomes);
      break;
  }
  for (Outcome& outcome : outcomes) {
    const Progress& now = outcome.state.partial.threads[thread];
    if (!now.is_asleep) run_on(outcome.state, thread);
  }
  return outcomes;
}

// ---------------------------------------------------------------------------------------------------------------------
// Atomics

std::size_t Machine::floor_of(const State& state, unsigned thread, unsigned location) const {
  const Execution& execution = state.partial.execution;
  const auto& writes = execution.modifications[location];
  const Clock& now = state.now[thread];
  for (std::size_t place = writes.size(); --place > state.forgotten[location];) {
    const Event& write = execution.at(writes[place]);
    if (now.includes(write)) return place;
    if (!rules_.readers_raise_floors) continue;
    for (const Event& event : execution.events) {
      if (event.reads && event.from == writes[place] && now.includes(event)) return place;
    }
  }
  return state.forgotten[location];
}

void Machine::access(
    const State& state, unsigned thread, const Instruction& instruction, std::vector<Outcome>& outcomes) {
  const auto& writes = state.partial.execution.modifications[instruction.object];
  const std::size_t floor = floor_of(state, thread, instruction.object);
  for (std::size_t place = writes.size(); place-- > floor;) {
    if (instruction.verb == Verb::store) {
      choose(state, thread, instruction, {writing(state.partial, instruction)}, place, outcomes);
      continue;
    }
    bool can_succeed = false;
    for (Access access : readings(state.partial, instruction, writes[place])) {
      if (!can_succeed) access.fails_for_no_reason = false;
      can_succeed = choose(state, thread, instruction, access, place, outcomes);
    }
  }
}

/// Adds what follows if the access is made to the write at this place. Returns false if it may not be made
/// there.
bool Machine::choose(const State& state, unsigned thread, const Instruction& instruction, Access access,
    std::size_t place, std::vector<Outcome>& outcomes) {
  const unsigned location = instruction.object;
  const PartialExecution& before = state.partial;
  const Progress& progress = before.threads[thread];
  Event& event = access.event;
  const bool is_newest = place + 1 == before.execution.modifications[location].size();
  if (event.writes && rules_.updates_are_adjacent && is_read_by_update(before.execution, location, place)) {
    return false;
  }
  if (!is_newest && event.order == Order::seq_cst && !rules_.seq_cst_may_be_stale) return false;
  bool waits =
      instruction.verb == Verb::wait && before.value_of(event.from) == before.value_of(instruction.value);
  if (waits && !is_newest && !rules_.waits_read_old_values_anywhere) return false;
  if (waits) {  // having read the old value, it does not read it a second time until somebody wakes it
    if (progress.refused == event.from && progress.woken_by == kNoEvent) return false;
    event.compared = before.newest(location);
    event.falls_asleep = before.value_of(event.compared) == before.value_of(instruction.value);
  }
  Outcome outcome{state, {access.fails_for_no_reason ? 1U : 0U, is_newest ? 0U : 1U}};
  PartialExecution& partial = outcome.state.partial;
  partial.append_access(thread, instruction, event, place + 1);
  order(outcome.state, thread);
  if (!is_newest && rules_.orders_seq_cst && breaks_seq_cst(outcome.state, rules_.orders_seq_cst_fences)) {
    ++refused_;
    return false;
  }
  partial.threads[thread].refused = waits ? event.from : kNoEvent;
  if (event.falls_asleep) partial.fall_asleep(location);
  if (!waits) ++partial.threads[thread].place;
  outcomes.push_back(std::move(outcome));
  return true;
}

void Machine::notify(const State& state, unsigned thread, const Instruction& instruction, unsigned queue,
    std::vector<Outcome>& outcomes) const {
  State after = state;
  PartialExecution& partial = after.partial;
  partial.append_to_queue(thread, queue);
  note(after, thread);
  ++partial.threads[thread].place;
  if (!rules_.notices_are_no_writes && queue < kLocations) {
    partial.execution.events.back().value = partial.value_of(partial.newest(queue));
    partial.execution.modifications[queue].push_back(partial.last_event());
  }
  const std::vector<unsigned> asleep = partial.sleepers(queue);
  const bool is_for_one = instruction.verb == Verb::notify_one || instruction.verb == Verb::wake_one;
  if (!is_for_one || asleep.empty()) {
    for (const unsigned sleeper : asleep) partial.wake(sleeper);
    outcomes.push_back({std::move(after), {}});
    return;
  }
  for (const unsigned sleeper : asleep) {
    outcomes.push_back({after, {}});
    outcomes.back().state.partial.wake(sleeper);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The rest of a step

void Machine::access_plainly(State& state, unsigned thread, const Instruction& instruction) const {
  PartialExecution& partial = state.partial;
  const std::size_t writes = partial.execution.modifications[instruction.object].size();
  const Event event = instruction.verb == Verb::write_plainly
                          ? writing(partial, instruction)
                          : readings(partial, instruction, partial.newest(instruction.object)).front().event;
  partial.append_access(thread, instruction, event, writes);
  order(state, thread);
  if (event.reads && !rules_.plain_reads_keep_history) {
    state.forgotten[instruction.object] = static_cast<std::uint8_t>(writes - 1);
  }
}

void Machine::run_on(State& state, unsigned thread) const {
  PartialExecution& partial = state.partial;
  while (const Instruction* const instruction = next_of(program_, partial, thread)) {
    switch (instruction->verb) {
      case Verb::fence: {
        partial.append(thread, EventKind::fence, 0).order = instruction->order;
        if (acquires(instruction->order)) state.now[thread].join(state.observed[thread]);
        note(state, thread);
        if (releases(instruction->order)) state.fenced[thread] = state.now[thread];
        break;
      }
      case Verb::read_plainly:
      case Verb::write_plainly:
        access_plainly(state, thread, *instruction);
        break;
      case Verb::start: {
        const unsigned child = instruction->object;
        partial.append(thread, EventKind::start, child);
        note(state, thread);
        partial.threads[child].has_begun = true;
        state.now[child] = state.now[thread];
        ++partial.threads[thread].place;
        run_on(state, child);
        continue;
      }
      case Verb::join:
        if (!has_ended(program_, partial, instruction->object)) return;
        partial.append(thread, EventKind::join, instruction->object);
        state.now[thread].join(state.now[instruction->object]);
        note(state, thread);
        break;
      default:
        return;
    }
    ++partial.threads[thread].place;
  }
  for (unsigned other = 0; other < program_.threads.size(); ++other) {  // who waits for its end goes on
    if (!partial.threads[other].has_begun) continue;
    const Instruction* const next = next_of(program_, partial, other);
    if (next != nullptr && next->verb == Verb::join && next->object == thread) run_on(state, other);
  }
}

}  // namespace hocket::memory_model
