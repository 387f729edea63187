#include "tests/oracle/memory_model/machine.hpp"

#include <algorithm>
#include <optional>
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

void look_for_races(State& state) {
  const Execution& execution = state.partial.execution;
  const Event& access = execution.events.back();
  for (std::size_t i = 0; i + 1 < execution.events.size(); ++i) {
    const Event& other = execution.events[i];
    const bool conflict = other.kind == EventKind::access && other.object == access.object &&
                          (other.writes || access.writes) && (other.is_plain || access.is_plain);
    if (conflict && !state.clocks.back().includes(other)) state.has_race = true;
  }
}

/// The effects on clocks of an event that was appended and is no access.
void note(State& state, unsigned thread) {
  const Event& event = state.partial.execution.events.back();
  Clock& now = state.now[thread];
  if (event.kind == EventKind::lock) now.join(state.mutexes[event.object]);
  if (event.kind == EventKind::join) now.join(state.now[event.object]);
  if (event.kind == EventKind::fence && oracle::acquires(event.order)) now.join(state.observed[thread]);
  now.tick(thread);
  state.clocks.push_back(now);
  state.released.emplace_back();
  if (event.kind == EventKind::fence && oracle::releases(event.order)) state.fenced[thread] = now;
  if (event.kind == EventKind::unlock || event.kind == EventKind::sleep) state.mutexes[event.object] = now;
  if (event.kind == EventKind::start) state.now[event.object] = now;
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
    if (oracle::acquires(event.order)) now.join(of_release);
  }
  state.clocks.push_back(now);
  Clock& released = state.released.emplace_back();
  if (event.writes && !event.is_plain) {
    released = oracle::releases(event.order) ? now : state.fenced[thread];
    if (event.reads) released.join(of_release);  // it continues the release sequence
  }
  look_for_races(state);
}

/// Fences add nothing to operations that are all seq_cst.
bool asks_for_less(const Instruction& instruction) {
  const Verb verb = instruction.verb;
  if (!is_access(verb) || verb == Verb::read_var || verb == Verb::write_var) return false;
  return instruction.order != std::memory_order_seq_cst ||
         (is_compare_exchange(verb) && instruction.failure != std::memory_order_seq_cst);
}

/// A notification of an atomic counts as a write of the same value.
void make_a_write(PartialExecution& partial) {
  Event& event = partial.execution.events.back();
  auto& writes = partial.execution.modifications[event.object];
  if (writes.empty()) return;  // of a condition variable
  event.value = partial.value_of(writes.back());
  writes.push_back(partial.last_event());
}

}  // namespace

void Clock::join(const Clock& other) {
  for (std::size_t i = 0; i < events_.size(); ++i) events_[i] = std::max(events_[i], other.events_[i]);
}

State Machine::begin() const {
  State state;
  state.partial = beginning_of(program_);
  state.clocks.resize(state.partial.execution.events.size());
  state.released.resize(state.clocks.size());
  for (const Instruction& instruction : program_.threads[0].code) {
    if (instruction.verb == Verb::start) run_on(state, instruction.object);
  }
  return state;
}

bool Machine::is_enabled(State& state, unsigned thread) const {
  const std::optional<Instruction> next = next_of(program_, state.partial, thread);
  return next && next->verb != Verb::join && !state.partial.is_blocked(program_, thread, *next);
}

std::vector<Outcome> Machine::step(const State& before, unsigned thread) {
  State state = before;
  const Instruction instruction = next_of(program_, state.partial, thread).value();
  state.asked_for_less = asks_for_less(instruction);
  std::vector<Outcome> outcomes;
  if (is_access(instruction.verb)) {
    access(state, thread, instruction, outcomes);
  } else {
    for (const std::vector<unsigned>& woken : state.partial.ways_to_wake(instruction)) {
      State& after = outcomes.emplace_back(state, Price{}).state;
      after.partial.perform(thread, instruction, woken);
      note(after, thread);
      if (!rules_.notices_are_no_writes && after.partial.execution.events.back().kind == EventKind::notice) {
        make_a_write(after.partial);
      }
    }
  }
  for (Outcome& outcome : outcomes) run_on(outcome.state, thread);
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
      choose(state, thread, instruction, {writing(state.partial, thread, instruction)}, place, outcomes);
      continue;
    }
    bool can_succeed = false;
    for (Access access : readings(state.partial, thread, instruction, writes[place])) {
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
  if (!is_newest && event.order == std::memory_order_seq_cst && !rules_.seq_cst_may_be_stale) return false;
  const bool waits =
      instruction.verb == Verb::await_change && before.value_of(event.from) == instruction.expected;
  if (waits && !is_newest && !rules_.waits_read_old_values_anywhere) return false;
  if (waits) {  // having read the old value, it does not read it a second time until somebody wakes it
    if (progress.refused == event.from && progress.woken_by == kNoEvent) return false;
    event.compared = before.newest(location);
    event.falls_asleep = before.value_of(event.compared) == instruction.expected;
  }
  Outcome outcome{state, {access.fails_for_no_reason ? 1U : 0U, is_newest ? 0U : 1U}};
  PartialExecution& partial = outcome.state.partial;
  partial.append_access(thread, instruction, event, place + 1);
  order(outcome.state, thread);
  if (!is_newest && rules_.orders_seq_cst && breaks_seq_cst(outcome.state, rules_.orders_seq_cst_fences)) {
    ++refused_;
    return false;
  }
  if (waits) {
    partial.threads[thread].refused = event.from;
  } else {
    partial.complete_access(thread, instruction);
  }
  if (event.falls_asleep) partial.fall_asleep(location);
  outcomes.push_back(std::move(outcome));
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The rest of a step

void Machine::access_plainly(State& state, unsigned thread, const Instruction& instruction) const {
  PartialExecution& partial = state.partial;
  const unsigned location = instruction.object;
  const std::size_t writes = partial.execution.modifications[location].size();
  const Event event = instruction.verb == Verb::write_var
                          ? writing(partial, thread, instruction)
                          : readings(partial, thread, instruction, partial.newest(location)).front().event;
  partial.append_access(thread, instruction, event, writes);
  order(state, thread);
  partial.complete_access(thread, instruction);
  if (event.reads && !rules_.plain_reads_keep_history) {
    state.forgotten[location] = static_cast<std::uint8_t>(writes - 1);
  }
}

void Machine::run_on(State& state, unsigned thread) const {
  PartialExecution& partial = state.partial;
  while (const std::optional<Instruction> instruction = next_of(program_, partial, thread)) {
    const Verb verb = instruction->verb;
    if (verb == Verb::read_var || verb == Verb::write_var) {
      access_plainly(state, thread, *instruction);
      continue;
    }
    const bool is_step = verb != Verb::fence && verb != Verb::start && verb != Verb::join;
    if (is_step || partial.is_blocked(program_, thread, *instruction)) return;
    partial.perform(thread, *instruction, {});
    note(state, thread);
    if (verb == Verb::start) run_on(state, instruction->object);
  }
  for (unsigned other = 0; other < program_.threads.size(); ++other) {  // who waits for its end goes on
    const std::optional<Instruction> next = next_of(program_, partial, other);
    if (next && next->verb == Verb::join && next->object == thread) run_on(state, other);
  }
}

}  // namespace hocket::memory_model
