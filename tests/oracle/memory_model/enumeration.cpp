#include "tests/oracle/memory_model/enumeration.hpp"

#include <array>
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
    std::array<const Instruction*, kMostThreads> following{};
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      const Progress& progress = candidate.threads[thread];
      if (progress.has_begun && !progress.is_asleep) {
        following[thread] = next_of(program_, candidate, thread);
      }
      // What depends on nothing may come at once.
      if (following[thread] == nullptr || progress.must_lock_again) continue;
      const Verb verb = following[thread]->verb;
      if (verb != Verb::fence && verb != Verb::start) continue;
      add_event(candidate, thread, *following[thread]);
      return;
    }
    bool is_last = true;
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      if (following[thread] != nullptr && add_event(candidate, thread, *following[thread])) is_last = false;
    }
    if (is_last) finish(candidate);
  }

  /// Tries all that the thread's next event can be. Returns false if there is none before another thread does
  /// something.
  bool add_event(PartialExecution& candidate, unsigned thread, const Instruction& instruction) {
    if (candidate.threads[thread].must_lock_again) return add_lock(candidate, thread, instruction.mutex);
    switch (instruction.verb) {
      case Verb::load:
      case Verb::store:
      case Verb::add:
      case Verb::exchange:
      case Verb::compare_exchange:
      case Verb::compare_exchange_weak:
      case Verb::read_plainly:
      case Verb::write_plainly:
      case Verb::wait:
        add_access(candidate, thread, instruction);
        return true;
      case Verb::fence: {
        PartialExecution with = candidate;
        with.append(thread, EventKind::fence, 0).order = instruction.order;
        ++with.threads[thread].place;
        judge(std::move(with));
        return true;
      }
      case Verb::lock:
        return add_lock(candidate, thread, instruction.object);
      case Verb::unlock: {
        PartialExecution with = candidate;
        with.append_to_mutex(thread, EventKind::unlock, instruction.object);
        ++with.threads[thread].place;
        judge(std::move(with));
        return true;
      }
      case Verb::start: {
        PartialExecution with = candidate;
        with.append(thread, EventKind::start, instruction.object);
        ++with.threads[thread].place;
        with.threads[instruction.object].has_begun = true;
        judge(std::move(with));
        return true;
      }
      case Verb::join: {
        if (!has_ended(program_, candidate, instruction.object)) return false;
        PartialExecution with = candidate;
        with.append(thread, EventKind::join, instruction.object);
        ++with.threads[thread].place;
        judge(std::move(with));
        return true;
      }
      case Verb::sleep: {
        PartialExecution with = candidate;
        with.append_to_mutex(thread, EventKind::sleep, instruction.mutex);
        with.fall_asleep(kLocations + instruction.object);
        with.threads[thread].must_lock_again = true;
        judge(std::move(with));
        return true;
      }
      case Verb::notify_one:
      case Verb::notify_all:
        add_notice(candidate, thread, instruction, instruction.object);
        return true;
      case Verb::wake_one:
      case Verb::wake_all:
        add_notice(candidate, thread, instruction, kLocations + instruction.object);
        return true;
      case Verb::skip_if_equal:
      case Verb::skip_if_different:
        break;
    }
    return false;
  }

  bool add_lock(const PartialExecution& candidate, unsigned thread, unsigned mutex) {
    if (!candidate.is_free(mutex)) return false;
    PartialExecution with = candidate;
    with.append_to_mutex(thread, EventKind::lock, mutex);
    with.threads[thread].must_lock_again = false;
    ++with.threads[thread].place;
    judge(std::move(with));
    return true;
  }

  void add_notice(
      const PartialExecution& candidate, unsigned thread, const Instruction& instruction, unsigned queue) {
    const std::vector<unsigned> asleep = candidate.sleepers(queue);
    PartialExecution with = candidate;
    with.append_to_queue(thread, queue);
    ++with.threads[thread].place;
    const bool is_for_one = instruction.verb == Verb::notify_one || instruction.verb == Verb::wake_one;
    if (is_for_one && asleep.size() > 1) {
      for (const unsigned sleeper : asleep) {
        PartialExecution chosen = with;
        chosen.wake(sleeper);
        judge(std::move(chosen));
      }
      return;
    }
    for (const unsigned sleeper : asleep) with.wake(sleeper);
    judge(std::move(with));
  }

  // -- Accesses --

  void add_access(const PartialExecution& candidate, unsigned thread, const Instruction& instruction) {
    if (instruction.verb == Verb::store || instruction.verb == Verb::write_plainly) {
      add_at_every_place(candidate, thread, instruction, writing(candidate, instruction));
      return;
    }
    for (const EventIndex from : candidate.execution.modifications[instruction.object]) {
      for (const Access& access : readings(candidate, instruction, from)) {
        if (instruction.verb == Verb::wait &&
            candidate.value_of(from) == candidate.value_of(instruction.value)) {
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
      ++with.threads[thread].place;
      with.threads[thread].refused = kNoEvent;
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
    event.falls_asleep = candidate.value_of(event.compared) == candidate.value_of(instruction.value);
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
