#include "tests/oracle/memory_model/enumeration.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace hocket::memory_model {

namespace {

/// What a thread has come to.
struct Progress {
  std::uint8_t place = 0;  ///< of the next instruction
  std::int8_t events = 0;
  bool has_begun = false;
  bool is_asleep = false;
  bool must_lock_again = false;    ///< it was asleep at a condition variable
  EventIndex woken_by = kNoEvent;  ///< to be noted with its next event
  EventIndex refused = kNoEvent;   ///< the write that a wait must not read once more
};

struct Candidate {
  Execution execution;
  std::array<Progress, kMostThreads> threads;
  std::array<std::int8_t, kRegisters> registers{};
};

class Enumeration {
 public:
  Enumeration(const Program& program, const Rules& rules, std::size_t most_states)
      : program_(program), rules_(rules), most_states_(most_states) {}

  Behaviours run() {
    Candidate first;
    for (unsigned location = 0; location < kLocations; ++location) {
      Event event;
      event.kind = EventKind::first;
      event.object = static_cast<std::uint8_t>(location);
      event.writes = true;
      first.execution.modifications[location].push_back(
          static_cast<EventIndex>(first.execution.events.size()));
      first.execution.events.push_back(event);
    }
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      first.threads[thread].has_begun = !is_started(program_, thread);
    }
    keep(std::move(first));
    while (!pending_.empty() && !result_.is_incomplete) {
      const Candidate candidate = std::move(pending_.back());
      pending_.pop_back();
      if (++result_.states > most_states_) result_.is_incomplete = true;
      continue_from(candidate);
    }
    return std::move(result_);
  }

 private:
  // -- Where threads are --

  /// Moves the thread past instructions that are no events, and returns the next one that is.
  const Instruction* next(Candidate& candidate, unsigned thread) const {
    Progress& progress = candidate.threads[thread];
    const Code& code = program_.threads[thread];
    while (progress.place < code.size()) {
      const Instruction& instruction = code[progress.place];
      const bool skips_equal = instruction.verb == Verb::skip_if_equal;
      if (!skips_equal && instruction.verb != Verb::skip_if_different) return &instruction;
      const bool is_equal = candidate.registers[static_cast<std::size_t>(instruction.into)] ==
                            value_of(candidate, instruction.value);
      progress.place =
          static_cast<std::uint8_t>(progress.place + 1 + (is_equal == skips_equal ? instruction.object : 0));
    }
    return nullptr;
  }

  static std::int8_t value_of(const Candidate& candidate, const Operand& operand) {
    const int base = operand.from < 0 ? 0 : candidate.registers[static_cast<std::size_t>(operand.from)];
    return static_cast<std::int8_t>(base + operand.number);
  }

  [[nodiscard]] bool has_ended(Candidate& candidate, unsigned thread) const {
    return candidate.threads[thread].has_begun && next(candidate, thread) == nullptr;
  }

  static bool is_free(const Execution& execution, unsigned mutex) {
    const auto& order = execution.locks[mutex];
    return order.empty() || execution.at(order.back()).kind != EventKind::lock;
  }

  // -- One event more --

  void continue_from(Candidate candidate) {
    std::array<const Instruction*, kMostThreads> following{};
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      const Progress& progress = candidate.threads[thread];
      if (progress.has_begun && !progress.is_asleep) following[thread] = next(candidate, thread);
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
  bool add_event(Candidate& candidate, unsigned thread, const Instruction& instruction) {
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
        Candidate with = candidate;
        Event& event = append(with, thread, EventKind::fence, 0);
        event.order = instruction.order;
        ++with.threads[thread].place;
        judge(std::move(with));
        return true;
      }
      case Verb::lock:
        return add_lock(candidate, thread, instruction.object);
      case Verb::unlock: {
        Candidate with = candidate;
        append_to_mutex(with, thread, EventKind::unlock, instruction.object);
        ++with.threads[thread].place;
        judge(std::move(with));
        return true;
      }
      case Verb::start: {
        Candidate with = candidate;
        append(with, thread, EventKind::start, instruction.object);
        ++with.threads[thread].place;
        with.threads[instruction.object].has_begun = true;
        judge(std::move(with));
        return true;
      }
      case Verb::join: {
        if (!has_ended(candidate, instruction.object)) return false;
        Candidate with = candidate;
        append(with, thread, EventKind::join, instruction.object);
        ++with.threads[thread].place;
        judge(std::move(with));
        return true;
      }
      case Verb::sleep: {
        Candidate with = candidate;
        append_to_mutex(with, thread, EventKind::sleep, instruction.mutex);
        fall_asleep(with, thread, kLocations + instruction.object);
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

  static Event& append(Candidate& candidate, unsigned thread, EventKind kind, unsigned object) {
    Progress& progress = candidate.threads[thread];
    Event event;
    event.kind = kind;
    event.thread = static_cast<std::int8_t>(thread);
    event.number = progress.events++;
    event.object = static_cast<std::uint8_t>(object);
    event.woken_by = std::exchange(progress.woken_by, kNoEvent);
    candidate.execution.events.push_back(event);
    return candidate.execution.events.back();
  }

  static EventIndex last_of(const Candidate& candidate) {
    return static_cast<EventIndex>(candidate.execution.events.size() - 1);
  }

  static void append_to_mutex(Candidate& candidate, unsigned thread, EventKind kind, unsigned mutex) {
    append(candidate, thread, kind, mutex);
    candidate.execution.locks[mutex].push_back(last_of(candidate));
  }

  bool add_lock(const Candidate& candidate, unsigned thread, unsigned mutex) {
    if (!is_free(candidate.execution, mutex)) return false;
    Candidate with = candidate;
    append_to_mutex(with, thread, EventKind::lock, mutex);
    with.threads[thread].must_lock_again = false;
    ++with.threads[thread].place;
    judge(std::move(with));
    return true;
  }

  static void fall_asleep(Candidate& candidate, unsigned thread, unsigned queue) {
    candidate.execution.queues[queue].push_back(last_of(candidate));
    candidate.threads[thread].is_asleep = true;
  }

  // -- Notifications --

  /// The threads that sleep in the queue: those whose last event is in it.
  static std::vector<unsigned> sleepers(const Candidate& candidate, unsigned queue) {
    std::vector<unsigned> result;
    for (const EventIndex index : candidate.execution.queues[queue]) {
      const Event& event = candidate.execution.at(index);
      const Progress& progress = candidate.threads[static_cast<std::size_t>(event.thread)];
      if (progress.is_asleep && event.number + 1 == progress.events) {
        result.push_back(static_cast<unsigned>(event.thread));
      }
    }
    return result;
  }

  void add_notice(
      const Candidate& candidate, unsigned thread, const Instruction& instruction, unsigned queue) {
    const std::vector<unsigned> asleep = sleepers(candidate, queue);
    Candidate with = candidate;
    append(with, thread, EventKind::notice, queue);
    with.execution.queues[queue].push_back(last_of(with));
    ++with.threads[thread].place;
    const auto wake = [&](Candidate& in, unsigned sleeper) {
      in.threads[sleeper].is_asleep = false;
      in.threads[sleeper].woken_by = last_of(with);
    };
    const bool is_for_one = instruction.verb == Verb::notify_one || instruction.verb == Verb::wake_one;
    if (is_for_one && asleep.size() > 1) {
      for (const unsigned sleeper : asleep) {
        Candidate chosen = with;
        wake(chosen, sleeper);
        judge(std::move(chosen));
      }
      return;
    }
    for (const unsigned sleeper : asleep) wake(with, sleeper);
    judge(std::move(with));
  }

  // -- Accesses --

  void add_access(const Candidate& candidate, unsigned thread, const Instruction& instruction) {
    const bool is_plain = instruction.verb == Verb::read_plainly || instruction.verb == Verb::write_plainly;
    Event event;
    event.is_plain = is_plain;
    event.order = instruction.order;
    if (instruction.verb == Verb::store || instruction.verb == Verb::write_plainly) {
      event.writes = true;
      event.value = value_of(candidate, instruction.value);
      add_at_every_place(candidate, thread, instruction, event);
      return;
    }
    event.reads = true;
    for (const EventIndex from : candidate.execution.modifications[instruction.object]) {
      event.from = from;
      add_reading(candidate, thread, instruction, event);
    }
  }

  void add_reading(const Candidate& candidate, unsigned thread, const Instruction& instruction, Event event) {
    const std::int8_t read = candidate.execution.at(event.from).value;
    const std::int8_t operand = value_of(candidate, instruction.value);
    switch (instruction.verb) {
      case Verb::add:
      case Verb::exchange:
        event.writes = true;
        event.value = static_cast<std::int8_t>(instruction.verb == Verb::add ? read + operand : operand);
        break;
      case Verb::compare_exchange:
      case Verb::compare_exchange_weak: {
        Event failed = event;
        failed.order = instruction.failure;
        const bool may_succeed = read == value_of(candidate, instruction.expected);
        if (!may_succeed || instruction.verb == Verb::compare_exchange_weak) {
          add_at_every_place(candidate, thread, instruction, failed);
        }
        if (!may_succeed) return;
        event.writes = true;
        event.value = operand;
        break;
      }
      case Verb::wait:
        if (read == operand) {
          add_waiting(candidate, thread, instruction, event);
          return;
        }
        break;
      default:
        break;
    }
    add_at_every_place(candidate, thread, instruction, event);
  }

  /// Adds the access, with every place in modification order if it writes.
  void add_at_every_place(
      const Candidate& candidate, unsigned thread, const Instruction& instruction, const Event& access) {
    const std::size_t places =
        access.writes ? candidate.execution.modifications[instruction.object].size() : 1;
    for (std::size_t place = 1; place <= places; ++place) {
      Candidate with = append_access(candidate, thread, instruction, access);
      if (access.writes) {
        auto& writes = with.execution.modifications[instruction.object];
        writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(place), last_of(with));
      }
      if (access.reads && instruction.into >= 0) {
        with.registers[static_cast<std::size_t>(instruction.into)] = with.execution.at(access.from).value;
      }
      ++with.threads[thread].place;
      with.threads[thread].refused = kNoEvent;
      judge(std::move(with));
    }
  }

  static Candidate append_access(
      const Candidate& candidate, unsigned thread, const Instruction& instruction, Event access) {
    Candidate with = candidate;
    const Event& named = append(with, thread, EventKind::access, instruction.object);
    access.thread = named.thread;
    access.number = named.number;
    access.object = named.object;
    access.woken_by = named.woken_by;
    with.execution.events.back() = access;
    return with;
  }

  /// A wait that has read the old value. If that is the newest one, too, the thread falls asleep. Otherwise
  /// it loads again, but not from the same write: that would change nothing, and could go on for ever.
  void add_waiting(const Candidate& candidate, unsigned thread, const Instruction& instruction, Event event) {
    const Progress& progress = candidate.threads[thread];
    if (progress.refused == event.from && progress.woken_by == kNoEvent) return;
    event.compared = candidate.execution.modifications[instruction.object].back();
    event.falls_asleep =
        candidate.execution.at(event.compared).value == value_of(candidate, instruction.value);
    Candidate with = append_access(candidate, thread, instruction, event);
    with.threads[thread].refused = event.from;
    if (event.falls_asleep) fall_asleep(with, thread, instruction.object);
    judge(std::move(with));
  }

  // -- What is found --

  void judge(Candidate candidate) {
    if (is_consistent(candidate.execution, rules_)) keep(std::move(candidate));
  }

  void keep(Candidate candidate) {
    if (known_.insert(text_of(candidate)).second) pending_.push_back(std::move(candidate));
  }

  [[nodiscard]] std::string text_of(const Candidate& candidate) const {
    const Execution& execution = candidate.execution;
    const auto name = [&](EventIndex index) {
      return EventName(execution.at(index).thread, execution.at(index).number);
    };
    std::vector<EventIndex> events;
    for (std::size_t i = kLocations; i < execution.events.size(); ++i) {
      events.push_back(static_cast<EventIndex>(i));
    }
    std::sort(events.begin(), events.end(),
        [&](EventIndex one, EventIndex other) { return name(one) < name(other); });
    GraphText text;
    for (const EventIndex index : events) {
      const Event& event = execution.at(index);
      if (event.from != kNoEvent) text.reads(name(index), name(event.from));
      if (event.woken_by != kNoEvent) text.is_woken(name(index), name(event.woken_by));
    }
    const auto add_order = [&](char kind, unsigned object, const std::vector<EventIndex>& order) {
      text.begin_order(kind, object);
      for (const EventIndex index : order) {
        if (execution.at(index).kind != EventKind::first) text.next_in_order(name(index));
      }
    };
    for (unsigned i = 0; i < kLocations; ++i) add_order('x', i, execution.modifications[i]);
    for (unsigned i = 0; i < kMutexes; ++i) add_order('m', i, execution.locks[i]);
    for (unsigned i = 0; i < kQueues; ++i) add_order('q', i, execution.queues[i]);
    std::string result = text.text();
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      result += " " + std::to_string(candidate.threads[thread].events);
      if (const EventIndex by = candidate.threads[thread].woken_by; by != kNoEvent) {
        result += "!" + std::to_string(name(by).first) + "." + std::to_string(name(by).second);
      }
    }
    return result;
  }

  void finish(Candidate& candidate) {
    bool is_complete = true;
    for (unsigned thread = 0; thread < program_.threads.size(); ++thread) {
      if (candidate.threads[thread].has_begun && !has_ended(candidate, thread)) is_complete = false;
    }
    if (has_race(candidate.execution, rules_)) result_.has_race = true;
    (is_complete ? result_.complete : result_.stuck).insert(text_of(candidate));
    if (!is_complete) return;
    std::array<std::int8_t, kLocations> memory{};
    for (unsigned i = 0; i < kLocations; ++i) {
      memory[i] = candidate.execution.at(candidate.execution.modifications[i].back()).value;
    }
    result_.outcomes.insert(outcome_text(program_, candidate.registers, memory));
  }

  const Program& program_;
  const Rules& rules_;
  std::size_t most_states_;
  std::vector<Candidate> pending_;
  std::unordered_set<std::string> known_;
  Behaviours result_;
};

}  // namespace

Behaviours enumerate(const Program& program, const Rules& rules, std::size_t most_states) {
  return Enumeration(program, rules, most_states).run();
}

}  // namespace hocket::memory_model
