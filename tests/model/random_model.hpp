// Random models, and a plain statement of what can happen in them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "model/api/model.hpp"

namespace hocket::model::test {

inline constexpr unsigned kProcesses = 3;
inline constexpr unsigned kPlaces = 4;
inline constexpr unsigned kValues = 3;

/// A process can go from one place to another, perhaps only while the shared variable has a value, and
/// perhaps setting it.
struct Move {
  unsigned process = 0;
  unsigned from = 0;
  unsigned to = 0;
  std::optional<unsigned> guard{};
  std::optional<unsigned> write{};
};

struct State {
  std::array<std::uint8_t, kProcesses> place{};
  std::uint8_t value = 0;

  friend auto operator<=>(const State&, const State&) = default;
};

/// A model with these moves; it must never have `forbidden` in the shared variable.
struct RandomModel {
  using State = test::State;

  std::vector<Move> moves;
  unsigned forbidden = kValues;             ///< none
  mutable std::set<State>* seen = nullptr;  ///< where each state is noted for which holds() is asked

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    for (const Move& move : moves) {
      if (!is_possible(move, state)) continue;
      if (is_local(move.process, move.from)) {
        emit.local(move.process, "local", after(move, state));
      } else {
        emit(move.process, "move", after(move, state));
      }
    }
  }
  [[nodiscard]] bool holds(const State& state) const {
    if (seen != nullptr) seen->insert(state);
    return state.value != forbidden;
  }

  static bool is_possible(const Move& move, const State& state) {
    return state.place[move.process] == move.from && (!move.guard || *move.guard == state.value);
  }
  static State after(const Move& move, State state) {
    state.place[move.process] = static_cast<std::uint8_t>(move.to);
    if (move.write) state.value = static_cast<std::uint8_t>(*move.write);
    return state;
  }
  /// Whether all that the process can do at this place has nothing to do with the shared variable.
  [[nodiscard]] bool is_local(unsigned process, unsigned place) const {
    for (const Move& move : moves) {
      if (move.process == process && move.from == place && (move.guard || move.write)) return false;
    }
    return true;
  }
};

/// The same model, in which no state may be a dead end.
struct EndlessModel : RandomModel {
  [[nodiscard]] static bool may_end(const State& /*state*/) { return false; }
};

/// What can happen, computed from the definitions alone.
struct Facts {
  std::map<State, unsigned> preemptions;  ///< the least with which each state can be reached
  std::map<State, unsigned> depth;        ///< the least steps
  bool has_dead_end = false;
};

inline Facts facts(const RandomModel& model) {
  constexpr unsigned kNobody = kProcesses;
  // The least preemptions by state and the process that took the last step, found by repetition until nothing
  // changes.
  std::map<std::pair<State, unsigned>, unsigned> least{{{State{}, kNobody}, 0}};
  Facts result;
  result.depth[State{}] = 0;
  for (bool changes = true; changes;) {
    changes = false;
    const auto known = least;
    for (const auto& [place, cost] : known) {
      const auto& [state, last] = place;
      bool can_continue = false;
      bool is_dead_end = true;
      for (const Move& move : model.moves) {
        if (!RandomModel::is_possible(move, state)) continue;
        is_dead_end = false;
        can_continue |= move.process == last;
      }
      result.has_dead_end |= is_dead_end;
      for (const Move& move : model.moves) {
        if (!RandomModel::is_possible(move, state)) continue;
        const State next = RandomModel::after(move, state);
        const unsigned next_cost = cost + (move.process != last && can_continue ? 1 : 0);
        const auto [at, is_new] = least.try_emplace({next, move.process}, next_cost);
        changes |= is_new || next_cost < at->second;
        if (next_cost < at->second) at->second = next_cost;
        const unsigned next_depth = result.depth[state] + 1;
        const auto [deep, is_first] = result.depth.try_emplace(next, next_depth);
        changes |= is_first || next_depth < deep->second;
        if (next_depth < deep->second) deep->second = next_depth;
      }
    }
  }
  for (const auto& [place, cost] : least) {
    const auto [at, is_new] = result.preemptions.try_emplace(place.first, cost);
    if (cost < at->second) at->second = cost;
  }
  return result;
}

inline std::ostream& operator<<(std::ostream& out, const RandomModel& model) {
  for (const Move& move : model.moves) {
    out << "  process " << move.process << ": " << move.from << " -> " << move.to;
    if (move.guard) out << ", if " << *move.guard;
    if (move.write) out << ", writes " << *move.write;
    out << "\n";
  }
  return out << "  forbidden: " << model.forbidden << "\n";
}

}  // namespace hocket::model::test

namespace rc {

template <>
struct Arbitrary<hocket::model::test::Move> {
  static Gen<hocket::model::test::Move> arbitrary() {
    using hocket::model::test::Move;
    using namespace hocket::model::test;
    const auto value = gen::weightedOneOf<std::optional<unsigned>>({
        {3, gen::just(std::optional<unsigned>{})},
        {2, gen::map(gen::inRange(0U, kValues), [](unsigned v) { return std::optional<unsigned>(v); })},
    });
    return gen::build<Move>(gen::set(&Move::process, gen::inRange(0U, kProcesses)),
        gen::set(&Move::from, gen::inRange(0U, kPlaces)), gen::set(&Move::to, gen::inRange(0U, kPlaces)),
        gen::set(&Move::guard, value), gen::set(&Move::write, value));
  }
};

template <>
struct Arbitrary<hocket::model::test::RandomModel> {
  static Gen<hocket::model::test::RandomModel> arbitrary() {
    using namespace hocket::model::test;
    return gen::build<RandomModel>(
        gen::set(&RandomModel::moves, gen::container<std::vector<Move>>(16, gen::arbitrary<Move>())),
        gen::set(&RandomModel::forbidden, gen::inRange(0U, kValues + 1)));
  }
};

}  // namespace rc
