#include "tools/tables/papers/small_programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/api/model.hpp"
#include "model/api/options.hpp"
#include "model/search/cycles.hpp"
#include "model/search/exploration.hpp"
#include "model/search/products.hpp"
#include "scheduler/api/number_text.hpp"

namespace papers {

namespace {

using hocket::model::Automaton;
using hocket::model::Emit;
using hocket::model::FlawedReduction;

constexpr unsigned kOperations = 2;
constexpr unsigned kMostStates = 4;
constexpr unsigned kDisabled = kMostStates;

/// A program whose operations, each a process of its own, lead from one state to another. It begins in state
/// 0.
struct SmallProgram {
  unsigned states = 1;
  std::array<std::array<std::uint8_t, kOperations>, kMostStates> next{};
  unsigned letters = 0;  ///< a bit for each state

  [[nodiscard]] bool is_enabled(unsigned state, unsigned operation) const {
    return next[state][operation] != kDisabled;
  }
  [[nodiscard]] unsigned letter(unsigned state) const { return letters >> state & 1U; }

  /// Siegel's definition: wherever both are enabled, neither disables the other one, and they commute.
  [[nodiscard]] bool are_independent() const {
    for (unsigned state = 0; state < states; ++state) {
      if (!is_enabled(state, 0) || !is_enabled(state, 1)) continue;
      const auto [first, second] = next[state];
      if (!is_enabled(first, 1) || !is_enabled(second, 0) || next[first][1] != next[second][0]) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_invisible(unsigned operation) const {
    for (unsigned state = 0; state < states; ++state) {
      if (is_enabled(state, operation) && letter(next[state][operation]) != letter(state)) return false;
    }
    return true;
  }
  /// Whether the conditions C1 and C2 allow to explore the operation alone in any state: that the other one
  /// can take steps before it must not matter.
  [[nodiscard]] bool is_local(unsigned operation) const {
    return is_invisible(operation) && are_independent();
  }

  /// Whether the states are numbered in the order in which a search meets them that begins in state 0, so
  /// that of the programs that differ in these numbers alone there is one.
  [[nodiscard]] bool is_numbered_in_order() const {
    unsigned known = 1;
    for (unsigned state = 0; state < known; ++state) {
      for (const unsigned to : next[state]) {
        if (to == kDisabled || to < known) continue;
        if (to != known) return false;
        ++known;
      }
    }
    return known == states;
  }
};

/// The program and the automaton of the moment.
struct Product {
  struct State {
    std::uint8_t at = 0;
    bool operator==(const State&) const = default;
  };
  SmallProgram program;
  std::array<bool, kOperations> is_local{};
  Automaton watcher;

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    for (unsigned operation = 0; operation < kOperations; ++operation) {
      if (!program.is_enabled(state.at, operation)) continue;
      const State next{program.next[state.at][operation]};
      if (is_local[operation]) {
        emit.local(operation, "", next);
      } else {
        emit(operation, "", next);
      }
    }
  }
  [[nodiscard]] Automaton automaton() const { return watcher; }
  [[nodiscard]] Automaton::Letter letter(const State& state) const { return program.letter(state.at); }
};

/// Calls `use` with each program that has so many states.
void for_each_program(unsigned states, const std::function<void(const SmallProgram&)>& use) {
  SmallProgram program;
  program.states = states;
  const std::function<void(unsigned)> choose = [&](unsigned place) {
    if (place == states * kOperations) {
      if (!program.is_numbered_in_order()) return;
      for (program.letters = 0; program.letters >> states == 0; ++program.letters) use(program);
      return;
    }
    std::uint8_t& to = program.next[place / kOperations][place % kOperations];
    for (to = 0; to < states; ++to) choose(place + 1);
    to = kDisabled;
    choose(place + 1);
  };
  choose(0);
}

/// "2 states: ¬p, α → 0, β → 1; p, α → 1"
std::string text_of(const SmallProgram& program) {
  constexpr std::array<const char*, kOperations> kNames{"α", "β"};
  std::string text = hocket::count_text(program.states, "state");
  for (unsigned state = 0; state < program.states; ++state) {
    text += std::string(state == 0 ? ": " : "; ") + (program.letter(state) == 1 ? "p" : "¬p");
    for (unsigned operation = 0; operation < kOperations; ++operation) {
      if (program.is_enabled(state, operation))
        text +=
            std::string(", ") + kNames[operation] + " → " + std::to_string(program.next[state][operation]);
    }
  }
  return text;
}

/// A search through the same product again and again.
class RepeatedSearch {
 public:
  RepeatedSearch(const Product& product, FlawedReduction reduction)
      : exploration_("a small program", product, options_, {.reduction = reduction}) {}

  bool finds_path() {
    exploration_.report.violations.clear();
    hocket::model::Cycles(exploration_, hocket::model::AutomatonProduct<Product>(exploration_)).run();
    return !exploration_.report.violations.empty();
  }

 private:
  const hocket::model::Options options_{.strategy = "dfs"};
  hocket::model::Exploration<Product> exploration_;
};

/// Whether each state accepts each sequence of the list regardless of repetitions: none differs from the one
/// in which a letter is repeated once more.
bool is_invariant_in_each_state(const Automaton& automaton, unsigned states) {
  constexpr unsigned kMostLetters = 5;
  for (unsigned length = 1; length <= kMostLetters; ++length) {
    for (unsigned bits = 0; bits >> length == 0; ++bits) {
      std::vector<Automaton::Letter> word;
      for (unsigned n = 0; n < length; ++n) word.push_back(bits >> n & 1U);
      for (std::size_t begin = 0; begin < length; ++begin) {
        for (Automaton::State from = 0; from < states; ++from) {
          const bool is_accepted = accepts(automaton, word, begin, from);
          for (std::size_t n = 0; n < length; ++n) {
            std::vector<Automaton::Letter> longer = word;
            longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(n), word[n]);
            if (accepts(automaton, longer, n < begin ? begin + 1 : begin, from) != is_accepted) return false;
          }
        }
      }
    }
  }
  return true;
}

/// Calls `use` with each automaton over two letters with these states, whose edges are among `possible`.
void for_each_automaton(unsigned states, unsigned most_edges, const std::vector<Automaton::Edge>& possible,
    const std::function<void(const Automaton&)>& use) {
  for (std::uint64_t chosen = 1; chosen >> possible.size() == 0; ++chosen) {
    if (static_cast<unsigned>(std::popcount(chosen)) > most_edges) continue;
    Automaton automaton;
    for (std::size_t n = 0; n < possible.size(); ++n) {
      if ((chosen >> n & 1U) != 0) automaton.edges.push_back(possible[n]);
    }
    for (unsigned accepting = 1; accepting >> states == 0; ++accepting) {
      automaton.accepting.clear();
      for (unsigned state = 0; state < states; ++state) {
        if ((accepting >> state & 1U) != 0) automaton.accepting.push_back(state);
      }
      use(automaton);
    }
  }
}

std::vector<Automaton::Edge> all_edges(unsigned states, unsigned first_target) {
  std::vector<Automaton::Edge> edges;
  for (Automaton::State from = 0; from < states; ++from) {
    for (Automaton::Letter letter = 0; letter < 2; ++letter) {
      for (Automaton::State to = first_target; to < states; ++to) edges.push_back({from, letter, to});
    }
  }
  return edges;
}

/// Whether each state can be reached and can come to an accepting one: a smaller automaton stands for others.
bool is_useful(const Automaton& automaton, unsigned states) {
  const auto closure = [&](std::uint64_t known, bool forwards) {
    for (unsigned turn = 0; turn < states; ++turn) {
      for (const Automaton::Edge& edge : automaton.edges) {
        const auto [from, to] = forwards ? std::pair(edge.from, edge.to) : std::pair(edge.to, edge.from);
        if ((known >> from & 1U) != 0) known |= std::uint64_t{1} << to;
      }
    }
    return known;
  };
  std::uint64_t accepting = 0;
  for (const Automaton::State state : automaton.accepting) accepting |= std::uint64_t{1} << state;
  const std::uint64_t all = (std::uint64_t{1} << states) - 1;
  return closure(1, true) == all && closure(accepting, false) == all;
}

}  // namespace

Enumeration enumerate_programs(
    const std::vector<Automaton>& automata, unsigned most_states, FlawedReduction reduction) {
  Enumeration result;
  result.automata = automata.size();
  Product product;
  RepeatedSearch whole(product, FlawedReduction::none);
  RepeatedSearch reduced(product, reduction);
  for (unsigned states = 1; states <= most_states; ++states) {
    for_each_program(states, [&](const SmallProgram& program) {
      ++result.programs;
      product.program = program;
      product.is_local = {program.is_local(0), program.is_local(1)};
      if (!product.is_local[0] && !product.is_local[1]) return;  // nothing can be left out
      ++result.reducible;
      for (const Automaton& automaton : automata) {
        product.watcher = automaton;
        if (!whole.finds_path()) continue;
        ++result.accepted;
        if (reduced.finds_path()) continue;
        if (result.missed++ == 0) result.smallest = text_of(program);
      }
    });
  }
  return result;
}

std::vector<Automaton> automata_in_normal_form(unsigned states) {
  std::vector<Automaton> result;
  const std::vector<Automaton::Edge> edges = all_edges(states, 1);
  for_each_automaton(states, static_cast<unsigned>(edges.size()), edges, [&](const Automaton& automaton) {
    if (is_useful(automaton, states) && is_in_stutter_normal_form(automaton)) result.push_back(automaton);
  });
  return result;
}

std::vector<Automaton> automata_invariant_in_each_state(unsigned states, unsigned most_edges) {
  std::vector<Automaton> result;
  for_each_automaton(states, most_edges, all_edges(states, 0), [&](const Automaton& automaton) {
    if (is_useful(automaton, states) && is_invariant_in_each_state(automaton, states))
      result.push_back(automaton);
  });
  return result;
}

}  // namespace papers
