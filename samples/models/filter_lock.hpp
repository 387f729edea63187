// Peterson's lock for any number of threads, also called the filter lock: each of N - 1 levels holds back one
// of the threads that try to pass it (Peterson, Myths About the Mutual Exclusion Problem, Information
// Processing Letters, 1981).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <hocket/model.hpp>

#include "samples/unmodified/version.hpp"

namespace samples::filter_lock {

/// A thread announces its level and then makes itself the victim of the level. The buggy version does this in
/// the opposite order.
template <unsigned N>
struct FilterLock {
  static_assert(N >= 2);

  Version version = Version::corrected;

  enum class Place : std::uint8_t { first_write, second_write, waiting, critical };
  struct Thread {
    Place place = Place::first_write;
    std::uint8_t wanted = 1;  ///< the level that it enters
    std::uint8_t level = 0;   ///< as the others see it; 0: outside
    std::uint8_t other = 0;   ///< for whom it waits

    friend bool operator==(const Thread&, const Thread&) = default;
  };
  struct State {
    std::array<Thread, N> threads{};
    std::array<std::uint8_t, N> victim{};  ///< of each level; victim[0] is not used

    friend bool operator==(const State&, const State&) = default;
  };

  [[nodiscard]] State initial() const { return {}; }

  void successors(const State& state, hocket::model::Emit<State> emit) const {
    for (unsigned p = 0; p < N; ++p) {
      State next = state;
      Thread& me = next.threads[p];
      switch (me.place) {
        case Place::first_write:
          me.place = Place::second_write;
          if (version == Version::buggy) {
            next.victim[me.wanted] = own_number(p);
            emit(p, "become the victim", next);
          } else {
            me.level = me.wanted;
            emit(p, "announce the level", next);
          }
          break;
        case Place::second_write:
          me.place = Place::waiting;
          me.other = p == 0 ? 1 : 0;
          if (version == Version::buggy) {
            me.level = me.wanted;
            emit(p, "announce the level", next);
          } else {
            next.victim[me.wanted] = own_number(p);
            emit(p, "become the victim", next);
          }
          break;
        case Place::waiting:
          if (state.victim[me.wanted] != own_number(p)) {
            pass(me);
            emit(p, "see another victim", next);
          } else if (state.threads[me.other].level < me.wanted) {
            ++me.other;
            if (me.other == p) ++me.other;
            if (me.other >= N) pass(me);
            emit(p, "see that another is behind", next);
          }
          break;
        case Place::critical:
          me = {};
          emit(p, "leave", next);
          break;
      }
    }
  }

  /// At most one thread is in its critical section.
  [[nodiscard]] bool holds(const State& state) const {
    return std::ranges::count(state.threads, Place::critical, &Thread::place) <= 1;
  }
  [[nodiscard]] bool may_end(const State& /*state*/) const { return false; }

 private:
  static constexpr std::uint8_t own_number(unsigned p) { return static_cast<std::uint8_t>(p); }
  static void pass(Thread& me) {
    me.other = 0;
    if (me.wanted + 1U < N) {
      ++me.wanted;
      me.place = Place::first_write;
    } else {
      me.place = Place::critical;
    }
  }
};

}  // namespace samples::filter_lock
