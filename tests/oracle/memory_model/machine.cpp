#include "tests/oracle/memory_model/machine.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace hocket::memory_model {

namespace {

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

State Machine::begin() const {
  State state;
  state.partial = beginning_of(program_);
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
      outcomes.push_back({state, {}});
      State& after = outcomes.back().state;
      after.partial.perform(thread, instruction, woken);
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

void Machine::access(
    const State& state, unsigned thread, const Instruction& instruction, std::vector<Outcome>& outcomes) {
  const auto& writes = state.partial.execution.modifications[instruction.object];
  for (std::size_t place = writes.size(); place-- > state.forgotten[instruction.object];) {
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
  if (!is_newest && !is_consistent(partial.execution, rules_.axioms)) {
    Rules without_seq_cst = rules_.axioms;
    without_seq_cst.orders_seq_cst = false;
    if (is_consistent(partial.execution, without_seq_cst)) ++refused_;
    return false;
  }
  note_race(outcome.state);
  if (waits) {
    partial.threads[thread].refused = event.from;
  } else {
    partial.complete_access(thread, instruction);
  }
  if (event.falls_asleep) partial.fall_asleep(location);
  outcomes.push_back(std::move(outcome));
  return true;
}

/// To be called when an access has been appended.
void Machine::note_race(State& state) const {
  const std::vector<Event>& events = state.partial.execution.events;
  const bool may_race = std::any_of(
      events.begin(), events.end() - 1, [&](const Event& other) { return conflict(other, events.back()); });
  if (may_race && has_race(state.partial.execution, rules_.axioms)) state.has_race = true;
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
  note_race(state);
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
    if (verb == Verb::start) run_on(state, instruction->object);
  }
  for (unsigned other = 0; other < program_.threads.size(); ++other) {  // who waits for its end goes on
    const std::optional<Instruction> next = next_of(program_, partial, other);
    if (next && next->verb == Verb::join && next->object == thread) run_on(state, other);
  }
}

}  // namespace hocket::memory_model
