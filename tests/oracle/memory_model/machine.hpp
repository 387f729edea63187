// An abstract machine that runs programs step by step, as a computer with weak memory could: atomics keep all
// their writes, and loads may read old ones. It is written from the description of what a search does, and
// knows no axioms. That it does what the axioms (axioms.hpp) allow, no more and no less, is for tests to see.
//
// - A thread stops before each operation on an atomic, mutex or queue. Its step makes that operation and runs
//   on to the next one; fences, plain accesses, starts, joins and ends are parts of the step before.
// - A load reads any write from its *floor* on: the last one of that atomic that happens before it, or that
// an
//   access has read or written that happens before it. A write may be put behind any of these, unless a
//   read-modify-write has read it and so stands right behind it. A read-modify-write does both at one place.
// - Every event has a clock, which says what happens before it, and every write another one, which says what
//   happens before what acquires it. For the latter each thread has what it has *observed* in relaxed loads,
//   which an acquire fence acquires, and what it has *fenced*, which its relaxed writes release.
// - Reading and writing at the newest place is always consistent. Any other choice must not close a cycle of
//   seq_cst events.
// - A plain access is made to the newest write. A program in which that makes a difference has a data race.
// - atomic::wait is a load. If it reads the old value, the thread falls asleep if that is the newest value,
//   too, and otherwise loads again. A notification touches only the queue of those who sleep.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/oracle/memory_model/partial_execution.hpp"
#include "tests/oracle/memory_model/prices.hpp"

namespace hocket::memory_model {

/// What the machine heeds. Tests leave some out, to see that something depends on it.
struct MachineRules {
  bool readers_raise_floors = true;
  bool updates_are_adjacent = true;
  bool orders_seq_cst = true;
  bool orders_seq_cst_fences = true;
  bool seq_cst_may_be_stale = true;
  bool notices_are_no_writes = true;
  bool plain_reads_keep_history = true;
  /// Whether a wait may read the old value from another write than the newest. It gains nothing from that: it
  /// reads again, or sleeps as if it had read the newest write.
  bool waits_read_old_values_anywhere = true;
};

/// For each thread, how many of its events happen before something.
class Clock {
 public:
  void join(const Clock& other);
  void tick(unsigned thread) { ++events_[thread]; }
  [[nodiscard]] bool includes(const Event& event) const {
    return event.thread < 0 || events_[static_cast<std::size_t>(event.thread)] > event.number;
  }
  [[nodiscard]] bool includes(int thread, int number) const {
    return events_[static_cast<std::size_t>(thread)] > number;
  }

 private:
  std::array<std::int8_t, kMostThreads> events_{};
};

struct State {
  PartialExecution partial;
  std::vector<Clock> clocks;    ///< of each event, itself included
  std::vector<Clock> released;  ///< of each write

  std::array<Clock, kMostThreads> now;
  std::array<Clock, kMostThreads> observed;
  std::array<Clock, kMostThreads> fenced;
  std::array<Clock, kMostObjects> mutexes;
  std::array<std::uint8_t, kMostObjects> forgotten{};  ///< how many writes, without plain_reads_keep_history
  bool has_race = false;
  bool asked_for_less = false;  ///< whether the last step's operation on an atomic is weaker than seq_cst
};

/// What a step can lead to.
struct Outcome {
  State state;
  Price price;  ///< of the choices made in the step
};

/// Whether the last event, an access, closes a cycle of seq_cst events.
bool breaks_seq_cst(const State& state, bool orders_fences);

class Machine {
 public:
  Machine(const Program& program, const MachineRules& rules) : program_(program), rules_(rules) {}

  /// Before the first step.
  [[nodiscard]] State begin() const;

  [[nodiscard]] bool is_enabled(State& state, unsigned thread) const;

  /// All that the thread's next step can lead to. The thread must be enabled.
  [[nodiscard]] std::vector<Outcome> step(const State& state, unsigned thread);

  /// How many choices were not offered because they break seq_cst.
  [[nodiscard]] std::uint64_t refused_choices() const { return refused_; }

 private:
  [[nodiscard]] std::size_t floor_of(const State& state, unsigned thread, unsigned location) const;
  void access(
      const State& state, unsigned thread, const Instruction& instruction, std::vector<Outcome>& outcomes);
  bool choose(const State& state, unsigned thread, const Instruction& instruction, Access access,
      std::size_t place, std::vector<Outcome>& outcomes);
  void run_on(State& state, unsigned thread) const;
  void access_plainly(State& state, unsigned thread, const Instruction& instruction) const;

  const Program& program_;
  MachineRules rules_;
  std::uint64_t refused_ = 0;
};

}  // namespace hocket::memory_model
