// All programs and automata up to a size, for Siegel's question whether a reduction misses a path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/api/automaton.hpp"
#include "model/states/flaws.hpp"

namespace papers {

/// What all programs with two operations and at most so many states came to, with some automata.
struct Enumeration {
  std::uint64_t programs = 0;
  std::uint64_t reducible = 0;  ///< those in which an operation may be explored alone
  std::uint64_t automata = 0;
  std::uint64_t accepted = 0;  ///< pairs of a program and an automaton that accepts one of its paths
  std::uint64_t missed = 0;    ///< those of which the reduced search finds none
  std::string smallest{};      ///< the first that was missed, which has the fewest states; or empty
};

/// Searches the product of each program with each automaton whole, and reduced.
Enumeration enumerate_programs(const std::vector<hocket::model::Automaton>& automata, unsigned most_states,
    hocket::model::FlawedReduction reduction);

/// Those with so many states in normal form, over two letters.
std::vector<hocket::model::Automaton> automata_in_normal_form(unsigned states);

/// Those with at most so many states and edges, over two letters, of which each state accepts a sequence
/// regardless of repetitions, as far as sequences of at most five letters show.
std::vector<hocket::model::Automaton> automata_invariant_in_each_state(unsigned states, unsigned most_edges);

}  // namespace papers
