// Lamport's fast mutex: a process that meets no other one takes the lock and releases it with seven accesses
// to memory (Lamport, A Fast Mutual Exclusion Algorithm, ACM Transactions on Computer Systems, 1987,
// Algorithm 2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::fast_mutex {

/// In the buggy version, a process that finds another one in x does not wait until all flags are down.
template <unsigned N>
struct FastMutex {
  static_assert(N >= 2);

  Version version = Version::corrected;

  static constexpr std::uint8_t kNobody = N;
  enum class Place : std::uint8_t {
    raises_flag,
    writes_x,
    reads_y,
    gives_way,    ///< another process is in y
    waits_for_y,  ///< to begin again
    writes_y,
    reads_x,
    competes,  ///< another process is in x
    waits_for_others,
    reads_y_again,
    critical,
    lowers_flag
  };
  struct Process {
    Place place = Place::raises_flag;
    bool flag = false;
    std::uint8_t other = 0;  ///< for whose flag it waits

    friend bool operator==(const Process&, const Process&) = default;
  };
  struct State {
    std::array<Process, N> processes{};
    std::uint8_t x = kNobody;
    std::uint8_t y = kNobody;

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned p = 0; p < N; ++p) {
      const auto self = static_cast<std::uint8_t>(p);
      State next = state;
      Process& me = next.processes[p];
      switch (me.place) {
        case Place::raises_flag:
          me.flag = true;
          me.place = Place::writes_x;
          emit(p, "raise the flag", next);
          break;
        case Place::writes_x:
          next.x = self;
          me.place = Place::reads_y;
          emit(p, "write x", next);
          break;
        case Place::reads_y:
          me.place = state.y == kNobody ? Place::writes_y : Place::gives_way;
          emit(p, state.y == kNobody ? "see that y is free" : "see another in y", next);
          break;
        case Place::gives_way:
          me.flag = false;
          me.place = Place::waits_for_y;
          emit(p, "lower the flag", next);
          break;
        case Place::waits_for_y:
          if (state.y != kNobody) break;
          me.place = Place::raises_flag;
          emit(p, "see that y is free", next);
          break;
        case Place::writes_y:
          next.y = self;
          me.place = Place::reads_x;
          emit(p, "write y", next);
          break;
        case Place::reads_x:
          me.place = state.x == self ? Place::critical : Place::competes;
          emit(p, state.x == self ? "see itself in x" : "see another in x", next);
          break;
        case Place::competes:
          me.flag = false;
          me.place = version == Version::buggy ? Place::reads_y_again : Place::waits_for_others;
          emit(p, "lower the flag", next);
          break;
        case Place::waits_for_others:
          if (state.processes[me.other].flag) break;
          ++me.other;
          if (me.other == N) {
            me.other = 0;
            me.place = Place::reads_y_again;
          }
          emit(p, "see a flag down", next);
          break;
        case Place::reads_y_again:
          me.place = state.y == self ? Place::critical : Place::waits_for_y;
          emit(p, state.y == self ? "see itself in y" : "see another in y", next);
          break;
        case Place::critical:
          next.y = kNobody;
          me.place = Place::lowers_flag;
          emit(p, "leave and clear y", next);
          break;
        case Place::lowers_flag:
          me.flag = false;
          me.place = Place::raises_flag;
          emit(p, "lower the flag", next);
          break;
      }
    }
  }

  /// At most one process is in its critical section.
  [[nodiscard]] bool holds(const State& state) const {
    return std::ranges::count(state.processes, Place::critical, &Process::place) <= 1;
  }
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }
};

}  // namespace samples::fast_mutex
