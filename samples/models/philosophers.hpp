// Dining philosophers sit around a table, with one fork between two neighbours. Each needs both forks beside
// it to eat, and takes them one after the other (Dijkstra, Hierarchical Ordering of Sequential Processes,
// Acta Informatica, 1971).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::philosophers {

/// In the buggy version all take the left fork first, and each may wait for the next one forever. In the
/// corrected version each takes the fork with the lower number first.
template <unsigned N>
struct Philosophers {
  static_assert(N >= 2);

  Version version = Version::corrected;

  enum class Place : std::uint8_t { thinking, has_one_fork, eating, has_put_one_down };
  struct State {
    std::array<Place, N> place{};
    std::array<bool, N> is_taken{};  ///< fork p is at the left of philosopher p

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned p = 0; p < N; ++p) {
      State next = state;
      switch (state.place[p]) {
        case Place::thinking:
          if (state.is_taken[first_fork(p)]) break;
          next.is_taken[first_fork(p)] = true;
          next.place[p] = Place::has_one_fork;
          emit(p, "take the first fork", next);
          break;
        case Place::has_one_fork:
          if (state.is_taken[second_fork(p)]) break;
          next.is_taken[second_fork(p)] = true;
          next.place[p] = Place::eating;
          emit(p, "take the second fork", next);
          break;
        case Place::eating:
          next.is_taken[second_fork(p)] = false;
          next.place[p] = Place::has_put_one_down;
          emit(p, "put down the second fork", next);
          break;
        case Place::has_put_one_down:
          next.is_taken[first_fork(p)] = false;
          next.place[p] = Place::thinking;
          emit(p, "put down the first fork", next);
          break;
      }
    }
  }

  /// No two neighbours eat.
  [[nodiscard]] bool holds(const State& state) const {
    for (unsigned p = 0; p < N; ++p) {
      if (state.place[p] == Place::eating && state.place[(p + 1) % N] == Place::eating) return false;
    }
    return true;
  }
  /// Somebody is always able to go on.
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }

 private:
  static constexpr unsigned left(unsigned p) { return p; }
  static constexpr unsigned right(unsigned p) { return (p + 1) % N; }
  [[nodiscard]] unsigned first_fork(unsigned p) const {
    return version == Version::buggy ? left(p) : std::min(left(p), right(p));
  }
  [[nodiscard]] unsigned second_fork(unsigned p) const {
    return version == Version::buggy ? right(p) : std::max(left(p), right(p));
  }
};

}  // namespace samples::philosophers
