// Paths that are given by their letters, to see what properties say about them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <hocket/model.hpp>

namespace samples::lasso {

using hocket::model::Automaton;

struct Formula {
  const char* name;     ///< of the function in hocket/model.hpp
  const char* negated;  ///< for Spin
  unsigned predicates;
  Automaton (*violations)();
};
inline constexpr std::array kFormulas{
    Formula{"always", "!([] p)", 1, hocket::model::violations_of_always},
    Formula{"eventually", "!(<> p)", 1, hocket::model::violations_of_eventually},
    Formula{"always_eventually", "!([] <> p)", 1, hocket::model::violations_of_always_eventually},
    Formula{"leads_to", "!([] (p -> <> q))", 2, hocket::model::violations_of_leads_to},
    Formula{"until", "!(p U q)", 2, hocket::model::violations_of_until},
};

/// One process goes through the letters, and on from the last one to that at `cycle_begin`; if there is none
/// at that place, the path ends. In a letter, 1 stands for p and 2 for q.
struct Path {
  struct State {
    std::uint32_t at = 0;
    bool operator==(const State&) const = default;
  };

  Automaton (*violations)() = nullptr;
  std::vector<Automaton::Letter> letters{};
  std::size_t cycle_begin = 0;

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, hocket::model::Emit<State> emit) const {
    const std::size_t next = state.at + 1 < letters.size() ? state.at + 1 : cycle_begin;
    if (next < letters.size()) emit(0, "go on", {static_cast<std::uint32_t>(next)});
  }
  [[nodiscard]] auto property() const {
    return hocket::model::Property(
        "it", violations, [this](const State& state) { return (letters[state.at] & 1U) != 0; },
        [this](const State& state) { return (letters[state.at] & 2U) != 0; });
  }
};

/// Calls `use` with each path for a formula that has at most so many letters.
inline void for_each_path(
    const Formula& formula, std::size_t most, const std::function<void(const Path&)>& use) {
  for (std::size_t size = 1; size <= most; ++size) {
    const std::size_t words = std::size_t{1} << size * formula.predicates;
    for (std::size_t word = 0; word < words; ++word) {
      Path path{formula.violations};
      for (std::size_t n = 0; n < size; ++n) {
        const std::size_t rest = word >> n * formula.predicates;
        path.letters.push_back(static_cast<Automaton::Letter>(rest & ((1U << formula.predicates) - 1)));
      }
      for (path.cycle_begin = 0; path.cycle_begin <= size; ++path.cycle_begin) use(path);
    }
  }
}

}  // namespace samples::lasso
