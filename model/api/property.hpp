// Properties of infinite paths, in the words of linear temporal logic. A model with the member property() is
// searched for a path that violates what it returns.
#pragma once

#include <concepts>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include "automaton.hpp"

namespace hocket::model {

/// Says something about the states in which its predicates hold. A predicate is called with a state: a
/// function, a lambda, or a pointer to a member of the state.
template <class... Predicates>
class Property {
 public:
  /// `violations` makes the automaton: see automaton().
  constexpr Property(std::string_view name, Automaton (*violations)(), Predicates... predicates)
      : name_(name), violations_(violations), predicates_(std::move(predicates)...) {}

  /// The function that has made it.
  [[nodiscard]] constexpr std::string_view name() const { return name_; }
  /// Accepts the paths that violate the property, and is in stutter normal form.
  [[nodiscard]] Automaton automaton() const { return violations_(); }
  /// The predicates that hold in a state, as bits; the first one is the lowest.
  template <class State>
  requires(std::predicate<const Predicates&, const State&>&&...) [[nodiscard]] Automaton::Letter
      letter(const State& state) const {
    return std::apply(
        [&](const Predicates&... predicates) {
          Automaton::Letter letter = 0;
          Automaton::Letter bit = 1;
          ((letter |= std::invoke(predicates, state) ? bit : 0, bit <<= 1U), ...);
          return letter;
        },
        predicates_);
  }

 private:
  std::string_view name_;
  Automaton (*violations_)();
  std::tuple<Predicates...> predicates_;
};

Automaton violations_of_always();
Automaton violations_of_eventually();
Automaton violations_of_always_eventually();
Automaton violations_of_leads_to();
Automaton violations_of_until();

/// p holds in every state of a path.
template <class P>
constexpr auto always(P p) {
  return Property("always", violations_of_always, std::move(p));
}
/// p holds in some state of each path.
template <class P>
constexpr auto eventually(P p) {
  return Property("eventually", violations_of_eventually, std::move(p));
}
/// After every state of a path, p holds in some state.
template <class P>
constexpr auto always_eventually(P p) {
  return Property("always_eventually", violations_of_always_eventually, std::move(p));
}
/// Whenever p holds, q holds then or later.
template <class P, class Q>
constexpr auto leads_to(P p, Q q) {
  return Property("leads_to", violations_of_leads_to, std::move(p), std::move(q));
}
/// q holds in some state of each path, and p in all states before.
template <class P, class Q>
constexpr auto until(P p, Q q) {
  return Property("until", violations_of_until, std::move(p), std::move(q));
}

}  // namespace hocket::model
