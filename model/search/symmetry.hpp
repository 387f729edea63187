// Symmetry: canonical() gives the states that differ only in the numbers of processes one representative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../api/model.hpp"
#include "model_error.hpp"

namespace hocket::model {

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

/// Checks that the states to which the steps of `state` lead have the same properties as their
/// representatives, and the same steps. Throws ModelError if not.
template <Model M>
requires HasSymmetry<M>
void check_symmetry(const M& model, const StateOf<M>& state) {
  using State = StateOf<M>;
  const auto demand = [](bool holds, const char* what) {
    if (!holds)
      throw ModelError(
          std::string("canonical() is no symmetry of the model: a state and its representative ") + what);
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
    demand(model.canonical(canonical) == canonical, "have different representatives");
    if constexpr (HasInvariant<M>) demand(model.holds(next) == model.holds(canonical), "differ in holds()");
    if constexpr (HasEnds<M>) demand(model.may_end(next) == model.may_end(canonical), "differ in may_end()");
    if constexpr (HasAcceptance<M>)
      demand(model.accepting(next) == model.accepting(canonical), "differ in accepting()");
    if constexpr (HasProgress<M>)
      demand(model.progress(next) == model.progress(canonical), "differ in progress()");
    if constexpr (HasAutomaton<M>)
      demand(model.letter(next) == model.letter(canonical), "differ in letter()");
    if (next == canonical) continue;
    const std::vector<State> its = representatives(next);
    const std::vector<State> theirs = representatives(canonical);
    demand(its.size() == theirs.size() && std::is_permutation(its.begin(), its.end(), theirs.begin()),
        "have different steps");
  }
}

/// A path: the numbers of its steps, as in PathStep::choice.
struct PathChoices {
  std::vector<std::uint32_t> choices;
  std::size_t cycle_begin = 0;
};

/// Converts a path of a search through representatives into one through the states of the model itself.
///
/// A representative may number the processes in another way, so that a step of one process seems to be
/// followed by a step of another one. But each of its steps is, up to the numbers, a step of every state that
/// it stands for. So the path can be taken again from the initial state, always by a step to a state with the
/// same representative.
template <Model M>
requires HasSymmetry<M>
class SymmetricPath {
 public:
  explicit SymmetricPath(const M& model)
      : model_(model), state_(model.initial()), canonical_(model.canonical(state_)) {}

  /// If the path ends in a cycle, the result repeats it until the states themselves repeat. Throws ModelError
  /// if canonical() is no symmetry.
  PathChoices convert(std::span<const std::uint32_t> choices, bool has_cycle, std::size_t cycle_begin) {
    if (!has_cycle) {
      take(choices);
      return {std::move(taken_), 0};
    }
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
          "canonical() is no symmetry of the model: a state and its representative have different steps");
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
