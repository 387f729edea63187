// What a model is: a state, and the steps that processes can take in it.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "automaton.hpp"
#include "property.hpp"

namespace hocket::model {

/// The number of a process, counted from 0. Searches that count preemptions allow 64 processes.
using Process = unsigned;
inline constexpr Process kMostProcesses = 64;
inline constexpr Process kNoProcess = ~0U;

/// What is known about a step besides the state to which it leads.
struct StepInfo {
  Process process = 0;
  std::string_view action{};   ///< its name; valid during the call only
  bool is_local = false;       ///< Emit::local()
  std::string_view failure{};  ///< if not empty: the step is an error
};

/// Passed to a model's successors(), which calls it once for each step that is possible in the state. The
/// order of the calls must depend on the state only.
template <typename State>
class Emit {
 public:
  using Take = void (*)(void* context, const StepInfo& step, const State& next);
  Emit(Take take, void* context) : take_(take), context_(context) {}

  /// `process` can take the step `action`, which leads to `next`.
  void operator()(Process process, std::string_view action, const State& next) const {
    take_(context_, {process, action}, next);
  }
  /// The same for a step that no other process can notice: it is independent of every step that the other
  /// processes can take from here on, it does not change what holds(), letter() and the other properties say,
  /// and no other process can give `process` a further step in this state. If all steps of a process are
  /// local, a search with Options::reduce may explore them alone. A wrong claim makes such a search miss
  /// states.
  void local(Process process, std::string_view action, const State& next) const {
    take_(context_, {process, action, true}, next);
  }
  /// `process` can take the step `action`, which is an error, such as a failed assertion.
  void fails(Process process, std::string_view action, std::string_view message) const {
    take_(context_, {process, action, false, message.empty() ? "failed" : message}, State{});
  }

 private:
  Take take_;
  void* context_;
};

/// Stands for the number of a step where successors() has failed in a state: there is no step then.
inline constexpr std::uint32_t kNoStep = ~0U;

template <typename M>
using StateOf = std::remove_cvref_t<decltype(std::declval<const M&>().initial())>;

/// A type with initial() and successors(). Other members that it may have:
///
// clang-format off
///   bool holds(const State&) const;            the invariant; a state without it is an error
///   bool may_end(const State&) const;          whether the state may have no successor; one that has none and
///                                              may not end is a deadlock. Without this member, all may end.
///   bool accepting(const State&) const;        a cycle with such a state is an error
///   bool progress(const State&) const;         a cycle without such a state is an error
///   Automaton automaton() const;               an infinite path that it accepts is an error
///   Automaton::Letter letter(const State&) const;   what the automaton reads in the state
///   auto property() const;                     leads_to() and its like, in place of automaton() and letter():
///                                              a path that violates it is an error, also one that ends
///   State canonical(const State&) const;       one representative of all states that are symmetric to it
///   std::uint64_t hash(const State&) const;    equal for equal states
///   std::string print(const State&) const;     the state as text, for paths
///   std::string process_name(Process) const;   for paths
// clang-format on
template <typename M>
concept Model = std::semiregular<StateOf<M>> && std::equality_comparable<StateOf<M>> &&
    requires(const M& model, const StateOf<M>& state, Emit<StateOf<M>> emit) {
  model.successors(state, emit);
};

template <typename M>
concept HasInvariant = requires(const M& model, const StateOf<M>& state) {
  { model.holds(state) } -> std::convertible_to<bool>;
};
template <typename M>
concept HasEnds = requires(const M& model, const StateOf<M>& state) {
  { model.may_end(state) } -> std::convertible_to<bool>;
};
template <typename M>
concept HasAcceptance = requires(const M& model, const StateOf<M>& state) {
  { model.accepting(state) } -> std::convertible_to<bool>;
};
template <typename M>
concept HasProgress = requires(const M& model, const StateOf<M>& state) {
  { model.progress(state) } -> std::convertible_to<bool>;
};
template <typename M>
concept HasProperty = requires(const M& model, const StateOf<M>& state) {
  { model.property().name() } -> std::convertible_to<std::string_view>;
  { model.property().automaton() } -> std::same_as<Automaton>;
  { model.property().letter(state) } -> std::convertible_to<Automaton::Letter>;
};
template <typename M>
concept HasAutomaton = HasProperty<M> || requires(const M& model, const StateOf<M>& state) {
  { model.automaton() } -> std::same_as<Automaton>;
  { model.letter(state) } -> std::convertible_to<Automaton::Letter>;
};
template <typename M>
concept HasSymmetry = requires(const M& model, const StateOf<M>& state) {
  { model.canonical(state) } -> std::same_as<StateOf<M>>;
};
template <typename M>
concept HasHash = requires(const M& model, const StateOf<M>& state) {
  { model.hash(state) } -> std::convertible_to<std::uint64_t>;
};
template <typename M>
concept HasPrint = requires(const M& model, const StateOf<M>& state) {
  { model.print(state) } -> std::convertible_to<std::string>;
};
template <typename M>
concept HasProcessNames = requires(const M& model) {
  { model.process_name(Process{}) } -> std::convertible_to<std::string>;
};

/// The automaton that reads the paths of the model, and the letter of a state for it.
template <Model M>
requires HasAutomaton<M> Automaton automaton_of(const M& model) {
  if constexpr (HasProperty<M>) {
    return model.property().automaton();
  } else {
    return model.automaton();
  }
}
template <Model M>
requires HasAutomaton<M> Automaton::Letter letter_of(const M& model, const StateOf<M>& state) {
  if constexpr (HasProperty<M>) {
    return model.property().letter(state);
  } else {
    return model.letter(state);
  }
}

}  // namespace hocket::model
