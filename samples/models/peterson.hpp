// Peterson's lock for any number of processes, with waits that block: a process at a level waits until
// another process is the level's victim or no other process is at this level or beyond.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <hocket/model.hpp>

namespace samples::peterson {

/// The letter of a state says whether process 0 is able to take a step.
template <unsigned N>
struct Peterson {
  static_assert(N >= 2);

  enum class Place : std::uint8_t { idle, announcing, becoming_victim, waiting, passing, critical };
  struct Process {
    Place place = Place::idle;
    std::uint8_t wanted = 0;  ///< the level that it enters
    std::uint8_t level = 0;   ///< as the others see it; 0: outside

    friend bool operator==(const Process&, const Process&) = default;
  };
  struct State {
    std::array<Process, N> processes{};
    std::array<std::uint8_t, N> victim{};  ///< of each level; victim[0] is not used

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned p = 0; p < N; ++p) {
      if (!is_able(state, p)) continue;
      State next = state;
      Process& me = next.processes[p];
      switch (me.place) {
        case Place::idle:
          me.place = Place::announcing;
          me.wanted = 1;
          emit.local(p, "want the lock", next);
          break;
        case Place::announcing:
          me.place = Place::becoming_victim;
          me.level = me.wanted;
          emit(p, "announce the level", next);
          break;
        case Place::becoming_victim:
          me.place = Place::waiting;
          next.victim[me.wanted] = static_cast<std::uint8_t>(p);
          emit(p, "become the victim", next);
          break;
        case Place::waiting:
          me.place = Place::passing;
          emit(p, "pass", next);
          break;
        case Place::passing: {
          const bool is_last = me.wanted + 1U == N;
          me.place = is_last ? Place::critical : Place::announcing;
          if (!is_last) ++me.wanted;
          emit.local(p, is_last ? "enter" : "go to the next level", next);
          break;
        }
        case Place::critical:
          me = {};
          emit(p, "leave", next);
          break;
      }
    }
  }

  /// At most one process is in its critical section.
  [[nodiscard]] bool holds(const State& state) const {
    return std::ranges::count(state.processes, Place::critical, &Process::place) <= 1;
  }
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }
  [[nodiscard]] hocket::model::Automaton::Letter letter(const State& state) const {
    return is_able(state, 0) ? 1 : 0;
  }

 private:
  static bool is_able(const State& state, unsigned p) {
    const Process& me = state.processes[p];
    if (me.place != Place::waiting || state.victim[me.wanted] != p) return true;
    for (unsigned other = 0; other < N; ++other) {
      if (other != p && state.processes[other].level >= me.wanted) return false;
    }
    return true;
  }
};

}  // namespace samples::peterson
