#include "tests/oracle/memory_model/enumeration.hpp"

#include <array>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/oracle/memory_model/partial_execution.hpp"

namespace hocket::memory_model {

namespace {

class Enumeration {
 public:
  Enumeration(const Program& program, const Rules& rules, std::size_t most_states)
      : program_(program), rules_(rules), most_states_(most_states) {}

  Behaviours run() {
    keep(beginning_of(program_));
    while (!pending_.empty() && !result_.is_incomplete) {
      const PartialExecution candidate = std::move(pending_.back());
      pending_.pop_back();
      if (++result_.states > most_states_) result_.is_incomplete = true;
      continue_from(candidate);
    }
    return std::move(result_);
  }

 private:
  // -- One event more --

  void continue_from(PartialExecution candidate) {
    std::array<std::optional<Instruction>, kMostThreads> following{};
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      following[thread] = next_of(program_, candidate, thread);
      // What depends on nothing may come at once.
      const bool is_alone = following[thread] && (following[thread]->verb == Verb::fence ||
                                                     following[thread]->verb == Verb::start);
      if (is_alone) return add_event(candidate, thread, *following[thread]);
    }
    bool is_last = true;
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      if (!following[thread] || candidate.is_blocked(program_, thread, *following[thread])) continue;
      add_event(candidate, thread, *following[thread]);
      is_last = false;
    }
    if (is_last) finish(candidate);
  }

  /// Tries all that the thread's next event can be.
  void add_event(const PartialExecution& candidate, unsigned thread, const Instruction& instruction) {
    if (is_access(instruction.verb)) return add_access(candidate, thread, instruction);
    for (const std::vector<unsigned>& woken : candidate.ways_to_wake(instruction)) {
      PartialExecution with = candidate;
      with.perform(thread, instruction, woken);
      judge(std::move(with));
    }
  }

  // -- Accesses --

  void add_access(const PartialExecution& candidate, unsigned thread, const Instruction& instruction) {
    if (instruction.verb == Verb::store || instruction.verb == Verb::write_var) {
      add_at_every_place(candidate, thread, instruction, writing(candidate, thread, instruction));
      return;
    }
    for (const EventIndex from : candidate.execution.modifications[instruction.object]) {
      for (const Access& access : readings(candidate, thread, instruction, from)) {
        if (instruction.verb == Verb::await_change && candidate.value_of(from) == instruction.expected) {
          add_waiting(candidate, thread, instruction, access.event);
        } else {
          add_at_every_place(candidate, thread, instruction, access.event);
        }
      }
    }
  }

  /// Adds the access, with every place in modification order if it writes.
  void add_at_every_place(const PartialExecution& candidate, unsigned thread, const Instruction& instruction,
      const Event& access) {
    const std::size_t places =
        access.writes ? candidate.execution.modifications[instruction.object].size() : 1;
    for (std::size_t place = 1; place <= places; ++place) {
      PartialExecution with = candidate;
      with.append_access(thread, instruction, access, place);
      with.complete_access(thread, instruction);
      judge(std::move(with));
    }
  }

  /// A wait that has read the old value. If that is the newest one, too, the thread falls asleep. Otherwise
  /// it loads again, but not from the same write: that would change nothing, and could go on for ever.
  void add_waiting(
      const PartialExecution& candidate, unsigned thread, const Instruction& instruction, Event event) {
    const Progress& progress = candidate.threads[thread];
    if (progress.refused == event.from && progress.woken_by == kNoEvent) return;
    event.compared = candidate.newest(instruction.object);
    event.falls_asleep = candidate.value_of(event.compared) == instruction.expected;
    PartialExecution with = candidate;
    with.append_access(thread, instruction, event, 0);
    with.threads[thread].refused = event.from;
    if (event.falls_asleep) with.fall_asleep(instruction.object);
    judge(std::move(with));
  }

  // -- What is found --

  void judge(PartialExecution candidate) {
    if (is_consistent(candidate.execution, rules_)) keep(std::move(candidate));
  }

  void keep(PartialExecution candidate) {
    if (known_.insert(graph_of(program_, candidate)).second) pending_.push_back(std::move(candidate));
  }

  void finish(PartialExecution& candidate) {
    if (has_race(candidate.execution, rules_)) result_.has_race = true;
    const bool is_complete = have_all_ended(program_, candidate);
    (is_complete ? result_.complete : result_.stuck).insert(graph_of(program_, candidate));
    if (is_complete) result_.outcomes.insert(outcome_of(program_, candidate));
  }

  const Program& program_;
  const Rules& rules_;
  std::size_t most_states_;
  std::vector<PartialExecution> pending_;
  std::unordered_set<std::string> known_;
  Behaviours result_;
};

}  // namespace

Behaviours enumerate(const Program& program, const Rules& rules, std::size_t most_states) {
  return Enumeration(program, rules, most_states).run();
}

}  // namespace hocket::memory_model
