// Büchi automata: properties of infinite paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hocket::model {

/// Accepts an infinite sequence of letters if it can read them, beginning in state 0, and be in an accepting
/// state again and again. A model gives each of its states a letter, which says what is true in it.
struct Automaton {
  using State = std::uint32_t;
  using Letter = std::uint32_t;
  struct Edge {
    State from = 0;
    Letter letter = 0;
    State to = 0;

    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  std::vector<Edge> edges;
  std::vector<State> accepting;
};

/// Whether the automaton is in the normal form of stutter-invariant automata (Siegel, What's Wrong with
/// On-the-Fly Partial Order Reduction, CAV 2019, Definition 12). Such an automaton accepts a sequence
/// regardless of how often in a row each letter is repeated in it.
bool is_in_stutter_normal_form(const Automaton& automaton);

/// An automaton in this normal form. It accepts the same sequences if `automaton` accepts sequences
/// regardless of repetitions; otherwise it accepts other ones. The construction is that of Siegel's
/// Theorem 2.
Automaton stutter_normal_form(const Automaton& automaton);

/// Whether the automaton, beginning in `from`, accepts the letters of `word` followed by its part from
/// `cycle_begin` on, again and again. `cycle_begin` must be less than the size of `word`.
bool accepts(const Automaton& automaton, std::span<const Automaton::Letter> word, std::size_t cycle_begin,
    Automaton::State from = 0);

}  // namespace hocket::model
