#include "automaton.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace hocket::model {

namespace {

using State = Automaton::State;
using Letter = Automaton::Letter;
using Edge = Automaton::Edge;

bool is_accepting(const Automaton& automaton, State state) {
  return std::find(automaton.accepting.begin(), automaton.accepting.end(), state) !=
         automaton.accepting.end();
}

/// The letters and states to which edges from `state` lead.
std::set<std::pair<Letter, State>> ways_from(const Automaton& automaton, State state) {
  std::set<std::pair<Letter, State>> ways;
  for (const Edge& edge : automaton.edges) {
    if (edge.from == state) ways.emplace(edge.letter, edge.to);
  }
  return ways;
}

std::set<State> states_of(const Automaton& automaton) {
  std::set<State> states{0};
  for (const Edge& edge : automaton.edges) {
    states.insert(edge.from);
    states.insert(edge.to);
  }
  return states;
}

/// Whether `state`, whose incoming edges all have `letter`, meets the conditions 2 to 4 of the definition.
bool can_stutter(const Automaton& automaton, State state, Letter letter) {
  const auto has_letter = [letter](const auto& way) { return way.first == letter; };
  const std::set<std::pair<Letter, State>> ways = ways_from(automaton, state);
  if (std::count_if(ways.begin(), ways.end(), has_letter) != 1) return false;
  const State next = std::find_if(ways.begin(), ways.end(), has_letter)->second;
  if (next == state) return true;
  return is_accepting(automaton, state) && !is_accepting(automaton, next) &&
         ways_from(automaton, next) == ways;
}

/// A state of the normal form, as in the paper: (q, a, kind). The initial state is not one of them.
enum class Kind : std::uint8_t { arrived, stays, remains_for_ever };
using Part = std::tuple<State, Letter, Kind>;

class NormalForm {
 public:
  explicit NormalForm(const Automaton& automaton) : automaton_(automaton) {
    for (const Edge& edge : automaton.edges) letters_.insert(edge.letter);
  }

  Automaton build() {
    for (const Letter letter : letters_) read(0, 0, letter);
    while (!pending_.empty()) {
      const auto [part, number] = pending_.back();
      pending_.pop_back();
      expand(part, number);
    }
    std::sort(result_.edges.begin(), result_.edges.end());
    return std::move(result_);
  }

 private:
  State number(const Part& part) {
    const auto [place, is_new] = numbers_.try_emplace(part, static_cast<State>(numbers_.size() + 1));
    if (is_new) {
      pending_.emplace_back(part, place->second);
      const auto& [state, letter, kind] = part;
      const bool accepts =
          kind == Kind::remains_for_ever || (kind == Kind::arrived && is_accepting(automaton_, state));
      if (accepts) result_.accepting.push_back(place->second);
    }
    return place->second;
  }

  void add(State from, Letter letter, const Part& to) { result_.edges.push_back({from, letter, number(to)}); }

  /// `from`, which stands for `state`, reads another letter than the last one.
  void read(State from, State state, Letter letter) {
    for (const auto& [next_letter, next] : ways_from(automaton_, state)) {
      if (next_letter == letter) add(from, letter, {next, letter, Kind::arrived});
    }
    const Letter word[] = {letter};
    if (accepts(automaton_, word, 0, state)) add(from, letter, {0, letter, Kind::remains_for_ever});
  }

  void expand(const Part& part, State from) {
    const auto& [state, last, kind] = part;
    if (kind == Kind::remains_for_ever) return add(from, last, part);
    add(from, last, is_accepting(automaton_, state) ? Part{state, last, Kind::stays} : part);
    for (const Letter letter : letters_) {
      if (letter != last) read(from, state, letter);
    }
  }

  const Automaton& automaton_;
  std::set<Letter> letters_;
  std::map<Part, State> numbers_;
  std::vector<std::pair<Part, State>> pending_;
  Automaton result_;
};

}  // namespace

bool is_in_stutter_normal_form(const Automaton& automaton) {
  for (const State state : states_of(automaton)) {
    std::set<Letter> incoming;
    for (const Edge& edge : automaton.edges) {
      if (edge.to == state) incoming.insert(edge.letter);
    }
    if (state == 0) {
      if (!incoming.empty()) return false;
    } else if (incoming.size() != 1 || !can_stutter(automaton, state, *incoming.begin())) {
      return false;
    }
  }
  return true;
}

Automaton stutter_normal_form(const Automaton& automaton) {
  return NormalForm(automaton).build();
}

bool accepts(const Automaton& automaton, std::span<const Letter> word, std::size_t cycle_begin, State from) {
  using Place = std::pair<State, std::size_t>;  // a state and the position of the letter that it reads
  const auto reachable_from = [&](const Place& start) {
    std::set<Place> known;
    std::vector<Place> pending{start};
    while (!pending.empty()) {
      const auto [state, position] = pending.back();
      pending.pop_back();
      const std::size_t next = position + 1 == word.size() ? cycle_begin : position + 1;
      for (const Edge& edge : automaton.edges) {
        const bool is_taken = edge.from == state && edge.letter == word[position];
        if (is_taken && known.emplace(edge.to, next).second) pending.emplace_back(edge.to, next);
      }
    }
    return known;
  };
  std::set<Place> reached = reachable_from({from, 0});
  reached.emplace(from, 0);
  return std::any_of(reached.begin(), reached.end(), [&](const Place& place) {
    return is_accepting(automaton, place.first) && reachable_from(place).contains(place);
  });
}

}  // namespace hocket::model
