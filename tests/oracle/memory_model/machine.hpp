// An abstract machine that runs programs step by step, as a computer with weak memory could: atomics keep all
// their writes, and loads may read old ones. It is written from the description of what a search does; which
// old ones are allowed, the axioms (axioms.hpp) say. That its steps come to all that the axioms allow is for
// tests to see.
//
// - A thread stops before each operation on an atomic, mutex or queue. Its step makes that operation and runs
//   on to the next one; fences, plain accesses, starts, joins and ends are parts of the step before.
// - A load reads any write, a write may be put behind any other one, and a read-modify-write does both at one
//   place, if the axioms allow it. To do so at the newest place is always consistent.
// - A plain access is made to the newest write. A program in which that makes a difference has a data race.
// - atomic::wait is a load. If it reads the old value, the thread falls asleep if that is the newest value,
//   too, and otherwise loads again. A notification touches only the queue of those who sleep.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/oracle/memory_model/axioms.hpp"
#include "tests/oracle/memory_model/partial_execution.hpp"
#include "tests/oracle/memory_model/prices.hpp"

namespace hocket::memory_model {

/// What the machine heeds. Tests leave some out, to see that something depends on it.
struct MachineRules {
  Rules axioms{};
  bool seq_cst_may_be_stale = true;
  bool notices_are_no_writes = true;
  bool plain_reads_keep_history = true;
  /// Whether a wait may read the old value from another write than the newest. It gains nothing from that: it
  /// reads again, or sleeps as if it had read the newest write.
  bool waits_read_old_values_anywhere = true;
};

struct State {
  PartialExecution partial;
  std::array<std::uint8_t, kMostObjects> forgotten{};  ///< how many writes, without plain_reads_keep_history
  bool has_race = false;
  bool asked_for_less = false;  ///< whether the last step's operation on an atomic is weaker than seq_cst
};

/// What a step can lead to.
struct Outcome {
  State state;
  Price price;  ///< of the choices made in the step
};

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
  void note_race(State& state) const;
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
