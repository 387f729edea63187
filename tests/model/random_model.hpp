// Random models, and a plain statement of what can happen in them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "model/api/model.hpp"
#include "model/api/report.hpp"

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
  bool fails = false;  ///< the step is an error, and leads nowhere
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
  unsigned stride = 1;                      ///< from the number of a process to that of the next one
  mutable std::set<State>* seen = nullptr;  ///< where each state is noted for which holds() is asked

  [[nodiscard]] static State initial() { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    for (const Move& move : moves) {
      if (!is_possible(move, state)) continue;
      const Process number = move.process * stride;
      if (move.fails) {
        emit.fails(number, "fail", "a step failed");
      } else if (is_local(move.process, move.from)) {
        emit.local(number, "local", after(move, state));
      } else {
        emit(number, "move", after(move, state));
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
  /// The moves that are possible in a state, in the order of their steps.
  [[nodiscard]] std::vector<Move> possible(const State& state) const {
    std::vector<Move> result;
    for (const Move& move : moves) {
      if (is_possible(move, state)) result.push_back(move);
    }
    return result;
  }
  /// The same model without steps that fail.
  [[nodiscard]] RandomModel without_failing_steps() const {
    RandomModel result = *this;
    std::erase_if(result.moves, [](const Move& move) { return move.fails; });
    return result;
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

/// The same model, in which no state may be a dead end, with a hash that hardly tells states apart.
struct EndlessModel : RandomModel {
  [[nodiscard]] static bool may_end(const State& /*state*/) { return false; }
  [[nodiscard]] static std::uint64_t hash(const State& state) { return state.place[0]; }
};

/// What a path needs. Fewer preemptions come first, and then fewer steps.
struct Cost {
  unsigned preemptions = 0;
  unsigned steps = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;
};

/// A state that is forbidden or a dead end, or the step of a state, by its number, that fails.
using Failure = std::tuple<ViolationKind, State, std::size_t>;

/// The least costs of what can happen.
struct LeastCosts {
  std::map<State, Cost> states;
  std::map<Failure, Cost> failures;  ///< dead ends included
};

/// Dijkstra's algorithm on states together with the process that took the last step. With
/// `preemptions_are_free`, only steps count.
inline LeastCosts least_costs(const RandomModel& model, bool preemptions_are_free) {
  constexpr unsigned kNobody = kProcesses;
  using Place = std::pair<State, unsigned>;
  LeastCosts result;
  std::set<std::pair<Cost, Place>> pending{{Cost{}, Place{State{}, kNobody}}};
  std::set<Place> known;
  while (!pending.empty()) {
    const auto [cost, place] = *pending.begin();
    pending.erase(pending.begin());
    if (!known.insert(place).second) continue;
    const auto& [state, last] = place;
    result.states.try_emplace(state, cost);
    if (state.value == model.forbidden)
      result.failures.try_emplace({ViolationKind::invariant, state, 0}, cost);
    const std::vector<Move> moves = model.possible(state);
    if (moves.empty()) result.failures.try_emplace({ViolationKind::deadlock, state, 0}, cost);
    bool can_continue = false;
    for (const Move& move : moves) can_continue |= move.process == last;
    for (std::size_t choice = 0; choice < moves.size(); ++choice) {
      const Move& move = moves[choice];
      const bool preempts = move.process != last && can_continue && !preemptions_are_free;
      const Cost next{cost.preemptions + (preempts ? 1 : 0), cost.steps + 1};
      if (move.fails) {
        Cost& least = result.failures.try_emplace({ViolationKind::step, state, choice}, next).first->second;
        if (next < least) least = next;
      } else {
        pending.insert({next, {RandomModel::after(move, state), move.process}});
      }
    }
  }
  return result;
}

/// The least steps of what can happen with at most so many preemptions, level by level: the places at a level
/// are those which a path of so many steps reaches with fewer preemptions than all shorter paths.
struct LeastSteps {
  std::map<State, unsigned> states;
  std::map<Failure, unsigned> failures;  ///< dead ends included
};

inline LeastSteps least_steps(const RandomModel& model, unsigned max_preemptions) {
  constexpr unsigned kNobody = kProcesses;
  using Place = std::pair<State, unsigned>;
  LeastSteps result;
  std::map<Place, unsigned> least;
  std::map<Place, unsigned> level{{{State{}, kNobody}, 0}};
  for (unsigned steps = 0; !level.empty(); ++steps) {
    std::map<Place, unsigned> next_level;
    for (const auto& [place, preemptions] : level) {
      const auto [known, is_new] = least.try_emplace(place, preemptions);
      if (!is_new && known->second <= preemptions) continue;
      known->second = preemptions;
      const auto& [state, last] = place;
      result.states.try_emplace(state, steps);
      if (state.value == model.forbidden)
        result.failures.try_emplace({ViolationKind::invariant, state, 0}, steps);
      const std::vector<Move> moves = model.possible(state);
      if (moves.empty()) result.failures.try_emplace({ViolationKind::deadlock, state, 0}, steps);
      bool can_continue = false;
      for (const Move& move : moves) can_continue |= move.process == last;
      for (std::size_t choice = 0; choice < moves.size(); ++choice) {
        const Move& move = moves[choice];
        const unsigned needed = preemptions + (move.process != last && can_continue ? 1 : 0);
        if (needed > max_preemptions) continue;
        if (move.fails) {
          result.failures.try_emplace({ViolationKind::step, state, choice}, steps + 1);
        } else {
          unsigned& there =
              next_level.try_emplace({RandomModel::after(move, state), move.process}, needed).first->second;
          if (needed < there) there = needed;
        }
      }
    }
    level = std::move(next_level);
  }
  return result;
}

/// What can happen, computed from the definitions alone.
struct Facts {
  std::map<State, unsigned> preemptions;  ///< the least with which each state can be reached
  std::map<State, unsigned> depth;        ///< the least steps
  bool has_dead_end = false;
  bool has_failing_step = false;
};

inline Facts facts(const RandomModel& model) {
  Facts result;
  for (const auto& [state, cost] : least_costs(model, false).states)
    result.preemptions.emplace(state, cost.preemptions);
  const LeastCosts by_steps = least_costs(model, true);
  for (const auto& [state, cost] : by_steps.states) result.depth.emplace(state, cost.steps);
  for (const auto& [failure, cost] : by_steps.failures) {
    result.has_dead_end |= std::get<0>(failure) == ViolationKind::deadlock;
    result.has_failing_step |= std::get<0>(failure) == ViolationKind::step;
  }
  return result;
}

inline std::ostream& operator<<(std::ostream& out, const RandomModel& model) {
  for (const Move& move : model.moves) {
    out << "  process " << move.process << ": " << move.from << " -> " << move.to;
    if (move.guard) out << ", if " << *move.guard;
    if (move.write) out << ", writes " << *move.write;
    if (move.fails) out << ", fails";
    out << "\n";
  }
  return out << "  forbidden: " << model.forbidden << ", numbers of processes: multiples of " << model.stride
             << "\n";
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
        gen::set(&Move::guard, value), gen::set(&Move::write, value),
        gen::set(&Move::fails, gen::weightedElement<bool>({{30, false}, {1, true}})));
  }
};

template <>
struct Arbitrary<hocket::model::test::RandomModel> {
  static Gen<hocket::model::test::RandomModel> arbitrary() {
    using namespace hocket::model::test;
    return gen::build<RandomModel>(
        gen::set(&RandomModel::moves, gen::container<std::vector<Move>>(16, gen::arbitrary<Move>())),
        gen::set(&RandomModel::forbidden, gen::inRange(0U, kValues + 1)),
        gen::set(&RandomModel::stride, gen::element(1U, 31U)));
  }
};

}  // namespace rc
