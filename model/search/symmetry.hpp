// Symmetry: canonical() gives the states that differ only in the numbers of processes one representative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/terms/action_hash.hpp"
#include "../api/model.hpp"

namespace hocket::model {

/// The model contradicts itself; the text is one sentence.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The state by which searches know `state` and all that are symmetric to it.
template <Model M>
decltype(auto) representative(const M& model, const StateOf<M>& state) {
  if constexpr (HasSymmetry<M>) {
    return model.canonical(state);
  } else {
    return (state);
  }
}

/// A step, without the process that takes it.
template <typename State>
struct Successor {
  State next;
  bool fails;
  std::string failure;
};

template <Model M>
std::vector<Successor<StateOf<M>>> successors_of(const M& model, const StateOf<M>& state) {
  using State = StateOf<M>;
  std::vector<Successor<State>> result;
  const auto take = [](void* context, const StepInfo& info, const State& next) {
    static_cast<std::vector<Successor<State>>*>(context)->push_back(
        {next, !info.failure.empty(), std::string(info.failure)});
  };
  model.successors(state, Emit<State>(take, &result));
  return result;
}

/// What can happen from `state` on within `depth` steps, without what depends on the numbers of processes:
/// which properties the states have, and how many steps. It is the same for symmetric states.
template <Model M>
std::uint64_t what_follows(const M& model, const StateOf<M>& state, unsigned depth) {
  std::uint64_t result = 0;
  const auto add = [&result](std::uint64_t word) { result = runtime::mix(result, word); };
  if constexpr (HasInvariant<M>) add(model.holds(state) ? 1 : 0);
  if constexpr (HasEnds<M>) add(model.may_end(state) ? 1 : 0);
  if constexpr (HasAcceptance<M>) add(model.accepting(state) ? 1 : 0);
  if constexpr (HasProgress<M>) add(model.progress(state) ? 1 : 0);
  if constexpr (HasAutomaton<M>) add(letter_of(model, state));
  if (depth == 0) return result;
  std::vector<std::uint64_t> after;
  for (const auto& step : successors_of(model, state))
    after.push_back(step.fails ? 0 : what_follows(model, step.next, depth - 1));
  std::sort(after.begin(), after.end());
  for (const std::uint64_t one : after) add(one);
  add(after.size());
  return result;
}

/// How far to compare what follows states with so many steps, so that it does not take long.
constexpr unsigned depth_to_compare(std::size_t steps) {
  constexpr std::size_t kMany = 30;
  return steps <= kMany ? 2 : 1;
}

/// Checks that the states to which the steps of `state` lead have the same properties as their
/// representatives, and the same steps. Returns what is wrong, as a sentence, or nothing.
template <Model M>
requires HasSymmetry<M> std::string symmetry_error(const M& model, const StateOf<M>& state) {
  using State = StateOf<M>;
  std::string error;
  const auto demand = [&error](bool holds, const char* what) {
    if (!holds && error.empty())
      error = std::string("canonical() is no symmetry of the model: a state and its representative ") + what;
  };
  const auto representatives = [&](const State& of) {
    std::vector<State> result;
    for (const Successor<State>& step : successors_of(model, of))
      result.push_back(step.fails ? State{} : model.canonical(step.next));
    return result;
  };
  for (const Successor<State>& step : successors_of(model, state)) {
    if (step.fails) continue;
    const State& next = step.next;
    const State canonical = model.canonical(next);
    if constexpr (HasInvariant<M>) demand(model.holds(next) == model.holds(canonical), "differ in holds()");
    if constexpr (HasEnds<M>) demand(model.may_end(next) == model.may_end(canonical), "differ in may_end()");
    if constexpr (HasAcceptance<M>)
      demand(model.accepting(next) == model.accepting(canonical), "differ in accepting()");
    if constexpr (HasProgress<M>)
      demand(model.progress(next) == model.progress(canonical), "differ in progress()");
    if constexpr (HasAutomaton<M>)
      demand(letter_of(model, next) == letter_of(model, canonical),
          HasProperty<M> ? "differ in property()" : "differ in letter()");
    if (next == canonical) continue;
    const std::vector<State> its = representatives(next);
    const std::vector<State> theirs = representatives(canonical);
    const bool are_alike =
        its.size() == theirs.size() && std::is_permutation(its.begin(), its.end(), theirs.begin());
    if (are_alike) continue;
    // canonical() need not be a normal form: symmetric states may have different representatives.
    const unsigned depth = depth_to_compare(its.size());
    demand(what_follows(model, next, depth) == what_follows(model, canonical, depth), "have different steps");
  }
  return error;
}

/// A path: the numbers of its steps, as in PathStep::choice.
struct PathChoices {
  std::vector<std::uint32_t> choices;
  std::size_t cycle_begin = 0;
};

/// Converts a path of a search through representatives into one through the states of the model itself.
///
/// The search for cycles runs on representatives alone. One of them may number the processes in another way,
/// so that a step of one process seems to be followed by a step of another one. But each of its steps is, up
/// to the numbers, a step of every state that it stands for. So the path can be taken again from the initial
/// state, always by a step to a state with the same representative, if all symmetric states have the same.
template <Model M>
requires HasSymmetry<M>
class SymmetricPath {
 public:
  explicit SymmetricPath(const M& model)
      : model_(model), state_(model.initial()), canonical_(model.canonical(state_)) {}

  /// The result repeats the cycle until the states themselves repeat. Throws ModelError if there is no such
  /// path.
  PathChoices convert(std::span<const std::uint32_t> choices, std::size_t cycle_begin) {
    take(choices.first(cycle_begin));
    std::vector<State> heads;
    for (;;) {
      const auto met = std::ranges::find(heads, state_);
      if (met != heads.end()) {
        const auto round = static_cast<std::size_t>(met - heads.begin());
        return {std::move(taken_), cycle_begin + round * (choices.size() - cycle_begin)};
      }
      heads.push_back(state_);
      take(choices.subspan(cycle_begin));
    }
  }

 private:
  using State = StateOf<M>;
  void take(std::span<const std::uint32_t> choices) {
    for (const std::uint32_t choice : choices) take(choice);
  }
  void take(std::uint32_t choice) {
    if (choice == kNoStep) {
      taken_.push_back(choice);
      return;
    }
    const auto canonical_steps = successors_of(model_, canonical_);
    if (choice >= canonical_steps.size()) {
      throw ModelError(
          "a path of the search cannot be taken again: successors() must depend on the state only");
    }
    const Successor<State>& wanted = canonical_steps[choice];
    const State target = wanted.fails ? State{} : model_.canonical(wanted.next);
    const auto steps = successors_of(model_, state_);
    const auto is_wanted = [&](const Successor<State>& step) {
      if (step.fails || wanted.fails) return step.fails && wanted.fails && step.failure == wanted.failure;
      return model_.canonical(step.next) == target;
    };
    const auto step = std::ranges::find_if(steps, is_wanted);
    if (step == steps.end()) {
      throw ModelError(
          "a cycle was found that cannot be followed: for cycles, canonical() must give all states that are "
          "symmetric to each other the same representative");
    }
    taken_.push_back(static_cast<std::uint32_t>(step - steps.begin()));
    if (step->fails) return;
    state_ = step->next;
    canonical_ = target;
  }

  const M& model_;
  State state_;
  State canonical_;  ///< of state_
  std::vector<std::uint32_t> taken_{};
};

}  // namespace hocket::model
