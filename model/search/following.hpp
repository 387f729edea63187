// Follows paths that are saved in schedule files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../schedules/path_schedule.hpp"
#include "../schedules/saved_paths.hpp"
#include "call_trial.hpp"
#include "exploration.hpp"
#include "model_calls.hpp"
#include "path.hpp"
#include "successors.hpp"

namespace hocket::model {

/// The path of `choices` through `states` must end in a cycle that is an error; see follow().
template <Model M>
std::optional<std::string> follow_cycle(Exploration<M>& exploration,
    const std::vector<std::uint32_t>& choices, const std::vector<StateOf<M>>& states, unsigned preemptions) {
  if constexpr (HasProperty<M>) {
    std::vector<Step<M>> steps;
    Successors<M>(exploration.model, exploration.options).append(states.back(), steps);
    if (steps.empty()) {
      std::vector<Automaton::Letter> word;
      for (const StateOf<M>& state : states) word.push_back(letter_of(exploration.model, state));
      if (!accepts(automaton_of(exploration.model), word, word.size() - 1)) return std::string();
      exploration.add_violation(ViolationKind::accepted_path, choices, preemptions, choices.size());
      return std::nullopt;
    }
  }
  const auto begin = std::find(states.begin(), states.end() - 1, states.back());
  if (begin == states.end() - 1) return "its last step does not lead back to a state of the path any more";
  const auto cycle_begin = static_cast<std::size_t>(begin - states.begin());
  if constexpr (HasAcceptance<M>) {
    const auto accepts = [&](const StateOf<M>& state) { return exploration.model.accepting(state); };
    if (std::any_of(begin, states.end(), accepts)) {
      exploration.add_violation(ViolationKind::acceptance_cycle, choices, preemptions, cycle_begin);
      return std::nullopt;
    }
  }
  if constexpr (HasProgress<M>) {
    const auto progresses = [&](const StateOf<M>& state) { return exploration.model.progress(state); };
    // The path may have come there before and have made progress since: the shortest cycle at its end is the
    // one to ask.
    const auto last = std::find(states.rbegin() + 1, states.rend(), states.back()).base() - 1;
    if (std::none_of(last, states.end(), progresses)) {
      exploration.add_violation(ViolationKind::progress_cycle, choices, preemptions,
          static_cast<std::size_t>(last - states.begin()));
      return std::nullopt;
    }
  }
  if constexpr (HasAutomaton<M>) {
    std::vector<Automaton::Letter> word;
    for (auto state = states.begin(); state != states.end() - 1; ++state)
      word.push_back(letter_of(exploration.model, *state));
    // The cycle that was saved need not begin at the first state that is like the last one.
    for (std::size_t n = cycle_begin; n < word.size(); ++n) {
      if (states[n] != states.back() || !accepts(automaton_of(exploration.model), word, n)) continue;
      exploration.add_violation(ViolationKind::accepted_path, choices, preemptions, n);
      return std::nullopt;
    }
  }
  return std::string();
}

/// Whether a schedule file gives the process with this name that label. Processes with one name have numbers
/// there.
inline bool is_label_of(const std::string& label, const std::string& name) {
  return label == name || label.starts_with(name + " #");
}

/// Follows a saved path. If it fails again, it is added to the report as a violation. Otherwise returns what
/// is different, as a sentence; it is empty if the path is there and does not fail.
template <Model M>
std::optional<std::string> follow(Exploration<M>& exploration, const SavedPath& path) {
  using State = StateOf<M>;
  const M& model = exploration.model;
  const TriedCalls tried(path.kind == runtime::FailureKind::exit);
  struct Candidates {
    const M& model;
    const SavedStep& wanted;
    const std::string before;
    std::uint32_t count = 0;
    std::optional<std::uint32_t> choice{};
    std::optional<State> next{};
    bool fails = false;
  };
  State state = model.initial();
  std::vector<std::uint32_t> choices;
  std::vector<State> states{state};
  bool fails = false;
  for (const SavedStep& step : path.steps) {
    Candidates candidates{model, step, print(model, state)};
    const auto take = [](void* context, const StepInfo& info, const State& next) {
      Candidates& found = *static_cast<Candidates*>(context);
      const std::uint32_t choice = found.count++;
      // The text of a state may leave something out, so that several steps look alike.
      if (found.choice && choice != found.wanted.choice) return;
      if (!is_label_of(found.wanted.process, process_name(found.model, info.process)) ||
          info.action != found.wanted.action)
        return;
      const bool is_failing = !info.failure.empty();
      if (!is_failing && changes(found.before, print(found.model, next)) != found.wanted.changes) return;
      found.fails = is_failing;
      found.choice = choice;
      found.next = next;
    };
    static_cast<void>(calls_model([&] { model.successors(state, Emit<State>(take, &candidates)); }));
    if (!candidates.choice) {
      return "step " + std::to_string(choices.size() + 1) + ": " + step.process + " cannot take the step \"" +
             step.action + "\" with the same result any more";
    }
    choices.push_back(*candidates.choice);
    fails = candidates.fails;
    if (fails) break;
    state = std::move(*candidates.next);
    states.push_back(state);
  }
  const unsigned preemptions = path.preemptions;
  if (path.kind == runtime::FailureKind::livelock)
    return follow_cycle(exploration, choices, states, preemptions);
  std::vector<Step<M>> last;
  Successors<M>(model, exploration.options).append(state, last);
  if (!last.empty() && last.front().choice == kNoStep) choices.push_back(kNoStep);
  if (fails || (!choices.empty() && choices.back() == kNoStep)) {
    exploration.add_violation(ViolationKind::step, choices, preemptions);
  } else if (!exploration.holds(state)) {
    exploration.add_violation(ViolationKind::invariant, choices, preemptions);
  } else if (last.empty() && exploration.is_deadlock(state)) {
    exploration.add_violation(ViolationKind::deadlock, choices, preemptions);
  } else {
    return std::string();
  }
  return std::nullopt;
}

}  // namespace hocket::model
