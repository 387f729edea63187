#include "property.hpp"

#include <utility>
#include <vector>

namespace hocket::model {

namespace {

using Letter = Automaton::Letter;

/// Edges between two states for the letters that meet a condition.
class ViolationBuilder {
 public:
  explicit ViolationBuilder(unsigned predicates) : letters_(1U << predicates) {}

  ViolationBuilder& edge(Automaton::State from, Automaton::State to, bool (*condition)(Letter)) {
    for (Letter letter = 0; letter < letters_; ++letter) {
      if (condition(letter)) result_.edges.push_back({from, letter, to});
    }
    return *this;
  }
  Automaton accepting_in(std::vector<Automaton::State> states) {
    result_.accepting = std::move(states);
    return stutter_normal_form(result_);  // no property asks for the next state
  }

 private:
  Letter letters_;
  Automaton result_;
};

bool is_any(Letter /*letter*/) {
  return true;
}
bool has_no_p(Letter letter) {
  return (letter & 1U) == 0;
}
bool has_no_q(Letter letter) {
  return (letter & 2U) == 0;
}
bool has_neither(Letter letter) {
  return letter == 0;
}
bool has_p_alone(Letter letter) {
  return letter == 1;
}

}  // namespace

Automaton violations_of_always() {
  return ViolationBuilder(1).edge(0, 0, is_any).edge(0, 1, has_no_p).edge(1, 1, is_any).accepting_in({1});
}

Automaton violations_of_eventually() {
  return ViolationBuilder(1).edge(0, 0, has_no_p).accepting_in({0});
}

Automaton violations_of_always_eventually() {
  return ViolationBuilder(1).edge(0, 0, is_any).edge(0, 1, has_no_p).edge(1, 1, has_no_p).accepting_in({1});
}

Automaton violations_of_leads_to() {
  return ViolationBuilder(2)
      .edge(0, 0, is_any)
      .edge(0, 1, has_p_alone)
      .edge(1, 1, has_no_q)
      .accepting_in({1});
}

Automaton violations_of_until() {
  return ViolationBuilder(2)
      .edge(0, 0, has_no_q)
      .edge(0, 1, has_neither)
      .edge(1, 1, is_any)
      .accepting_in({0, 1});
}

}  // namespace hocket::model
