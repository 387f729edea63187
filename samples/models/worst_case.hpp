// The worst case for a bound on preemptions: every process has to take a step between two steps of every
// other one (Holzmann and Florian, Model Checking with Bounded Context Switching, Formal Aspects of
// Computing, 2011, appendix C).
#pragma once

#include <array>
#include <cstdint>

#include <hocket/model.hpp>

namespace samples::worst_case {

/// Each of N processes counts up, down, and ends. As in Spin, processes end in the reverse order of their
/// beginning.
template <unsigned N>
struct WorstCase {
  struct State {
    std::array<std::uint8_t, N> steps{};  ///< of each process; 0 if it has ended
    std::uint8_t processes = N;           ///< that have not ended

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  // From the last process to the first one, as Spin does.
  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned p = state.processes; p-- > 0;) {
      State next = state;
      if (state.steps[p] < 2) {
        ++next.steps[p];
        emit(p, state.steps[p] == 0 ? "count up" : "count down", next);
      } else if (p + 1U == state.processes) {
        next.steps[p] = 0;
        --next.processes;
        emit.local(p, "end", next);
      }
    }
  }

  /// Not all processes are between their steps.
  [[nodiscard]] bool holds(const State& state) const {
    unsigned count = 0;
    for (const std::uint8_t steps : state.steps) count += steps == 1 ? 1 : 0;
    return count != N;
  }
};

}  // namespace samples::worst_case
