// Siegel's counterexamples to the reduction of a model that an automaton watches (What's Wrong with
// On-the-Fly Partial Order Reduction, CAV 2019), and automata of Figures 1, 3 and 4 there.
#pragma once

#include <hocket/model.hpp>

namespace samples::stuttering {

using hocket::model::Automaton;
using hocket::model::Emit;
using Letter = Automaton::Letter;

/// A model with an automaton that is given to it.
template <typename M>
struct Watched : M {
  Automaton watcher;
  [[nodiscard]] Automaton automaton() const { return watcher; }
};

inline constexpr Letter kNotP = 0;
inline constexpr Letter kP = 1;

/// One process does nothing for ever; the other one sets p. Figures 1 and 3.
struct OneBit {
  struct State {
    bool p = false;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] static State initial() { return {}; }
  static void successors(const State& state, Emit<State> emit) {
    emit.local(0, "alpha", state);
    if (!state.p) emit(1, "beta", State{true});
  }
  [[nodiscard]] static Letter letter(const State& state) { return state.p ? kP : kNotP; }
};

/// First not p, and then p for ever. B1 in Figure 1.
inline const Automaton kFirstNotPThenP{{{0, kNotP, 0}, {0, kNotP, 1}, {1, kP, 1}}, {1}};
/// The same sequences; which way it begins depends on the number of letters before p. B2 in Figure 3.
inline const Automaton kTheSameByTwoWays{
    {{0, kNotP, 2}, {0, kNotP, 1}, {1, kNotP, 2}, {2, kNotP, 1}, {1, kP, 3}, {3, kP, 3}}, {3}};

/// p finitely often: the smallest automaton, and a small one in normal form. B3 and B4 in Figure 4.
inline const Automaton kFinitelyOften{{{0, kNotP, 0}, {0, kP, 0}, {0, kNotP, 1}, {1, kNotP, 1}}, {1}};
inline const Automaton kFinitelyOftenInNormalForm{
    {{0, kNotP, 1}, {0, kP, 2}, {0, kNotP, 3}, {1, kNotP, 1}, {1, kP, 2}, {2, kP, 2}, {2, kNotP, 1},
        {2, kNotP, 3}, {3, kNotP, 3}},
    {3}};

}  // namespace samples::stuttering
