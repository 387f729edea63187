// Paths: the choices of a search, taken again to see what happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../api/model.hpp"
#include "../api/report.hpp"
#include "../states/state_text.hpp"
#include "model_calls.hpp"
#include "successors.hpp"

namespace hocket::model {

template <Model M>
std::string print(const M& model, const StateOf<M>& state) {
  if constexpr (HasPrint<M>) {
    return model.print(state);
  } else {
    return state_text(state);
  }
}

template <Model M>
std::string process_name(const M& model, Process process) {
  if constexpr (HasProcessNames<M>) {
    return model.process_name(process);
  } else {
    return "process " + std::to_string(process);
  }
}

/// "steps 3 to 5 repeat for ever"
inline std::string repeats(const Violation& violation) {
  const std::size_t first = violation.cycle_begin + 1;
  const std::size_t last = violation.path.size();
  if (first > last) return "it ends in a state in which no process can take a step";
  if (first == last) return "step " + std::to_string(first) + " repeats for ever";
  return "steps " + std::to_string(first) + " to " + std::to_string(last) + " repeat for ever";
}

/// Calls `member`, a function of this name of the model. If it fails, stores that in `violation` and returns
/// true.
template <typename Member>
bool fails_by_itself(const char* name, Member member, Violation& violation) {
  std::string text;
  if (calls_model(member, &text)) return false;
  violation.kind = detail::calls_of_thread.died_in_trial ? ViolationKind::exit : ViolationKind::exception;
  violation.message = std::string(name) + " has failed: " + text;
  return true;
}

/// Takes the steps with the numbers `choices` from the initial state, up to kNoStep if that is there, and
/// stores them in `violation`. Returns the last state. Throws ModelError if a state has no such step.
template <Model M>
StateOf<M> take_again(const M& model, std::span<const std::uint32_t> choices, Violation& violation) {
  using State = StateOf<M>;
  struct Target {
    std::uint32_t wanted;
    Process last;
    std::uint32_t count = 0;
    bool last_can_continue = false;
    StepInfo info{};
    std::string action{};
    std::string failure{};
    State next{};
  };
  State state = model.initial();
  violation.initial = print(model, state);
  for (const std::uint32_t choice : choices) {
    if (choice == kNoStep) break;
    const Process last = violation.path.empty() ? kNoProcess : violation.path.back().process;
    Target target{choice, last};
    const auto take = [](void* context, const StepInfo& info, const State& next) {
      Target& wanted = *static_cast<Target*>(context);
      wanted.last_can_continue |= info.process == wanted.last;
      if (wanted.count++ != wanted.wanted) return;
      wanted.info = info;
      wanted.action = info.action;
      wanted.failure = info.failure;
      wanted.next = next;
    };
    model.successors(state, Emit<State>(take, &target));
    if (choice >= target.count) {
      throw ModelError(
          "a path of the search cannot be taken again: successors() must depend on the state only");
    }
    if (target.failure.empty()) {
      state = std::move(target.next);
    } else {
      violation.message = target.action + ": " + target.failure;
    }
    const Process process = target.info.process;
    violation.path.push_back({process, std::move(target.action), choice, print(model, state),
        process_name(model, process), target.last_can_continue && process != last});
  }
  return state;
}

/// Sets the message of the violation, whose path ends in this state.
template <Model M>
void set_message(
    const M& model, const StateOf<M>& state, std::span<const std::uint32_t> choices, Violation& violation) {
  using State = StateOf<M>;
  switch (violation.kind) {
    case ViolationKind::invariant:
      violation.message = "holds() is false";
      if constexpr (HasInvariant<M>)
        fails_by_itself(
            "holds()", [&] { static_cast<void>(model.holds(state)); }, violation);
      break;
    case ViolationKind::deadlock:
      if constexpr (HasEnds<M>) {
        if (fails_by_itself(
                "may_end()", [&] { static_cast<void>(model.may_end(state)); }, violation))
          break;
      }
      violation.message = "deadlock: no process can take a step, and may_end() is false";
      break;
    case ViolationKind::acceptance_cycle:
      violation.message = "a cycle with an accepting state: " + repeats(violation);
      break;
    case ViolationKind::progress_cycle:
      violation.message = "a cycle without a progress state: " + repeats(violation);
      break;
    case ViolationKind::accepted_path:
      violation.message = "a path that the automaton accepts: ";
      if constexpr (HasProperty<M>)
        violation.message = "a path that violates " + std::string(model.property().name()) + "(): ";
      violation.message += repeats(violation);
      break;
    case ViolationKind::step: {
      if (choices.back() != kNoStep) break;
      const auto ignore = [](void* /*context*/, const StepInfo& /*info*/, const State& /*next*/) {};
      const auto call = [&] { model.successors(state, Emit<State>(ignore, nullptr)); };
      if (!fails_by_itself("successors()", call, violation)) {
        throw ModelError(
            "successors() was called twice with the same state and failed only once: it must depend on the "
            "state only");
      }
      break;
    }
    case ViolationKind::exception:
    case ViolationKind::exit:
      break;
  }
}

/// Stores the steps with the numbers `choices` in `violation`, with a message that fits its kind. If the last
/// number is kNoStep, successors() fails in the state before. Throws ModelError if a state has no such step.
template <Model M>
void describe(const M& model, std::span<const std::uint32_t> choices, Violation& violation) {
  const StateOf<M> state = take_again(model, choices, violation);
  set_message(model, state, choices, violation);
}

}  // namespace hocket::model
