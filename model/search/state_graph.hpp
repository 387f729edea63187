// The states of a small model and the steps between them, for people to look at.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../api/model.hpp"
#include "../api/report.hpp"
#include "../states/member_names.hpp"
#include "model_calls.hpp"
#include "path.hpp"

namespace hocket::model {

/// The names of the members of a state, if its text consists of them.
template <Model M>
std::vector<std::string> names_of_members() {
  using State = StateOf<M>;
  if constexpr (!HasPrint<M> && HasMembers<State> && !LibrarySequence<State> && !LibraryTuple<State>) {
    return member_names<State>();
  } else {
    return {};
  }
}

/// Computes the graph of a model. The states are those of the model, also if it says which are symmetric.
template <Model M>
class StateGraphBuilder {
 public:
  explicit StateGraphBuilder(const M& model) : model_(model) {}

  /// An empty graph if there are too many states or steps, if their text is long, if it takes more than a
  /// second, or if print() fails.
  StateGraph build() {
    states_.push_back(model_.initial());
    for (std::size_t n = 0; n < states_.size(); ++n) {
      from_ = static_cast<std::uint32_t>(n);
      const State state = states_[n];
      const auto take = [](void* builder, const StepInfo& info, const State& next) {
        static_cast<StateGraphBuilder*>(builder)->add(info, next);
      };
      const std::size_t before = graph_.steps.size();
      // A state in which successors() fails has no steps.
      if (!calls_model([&] { model_.successors(state, Emit<State>(take, this)); }))
        graph_.steps.resize(before);
      if (is_too_large_ || std::chrono::steady_clock::now() > deadline_) return {};
    }
    std::size_t bytes = 0;
    for (const State& state : states_) {
      std::string text;
      if (!calls_model([&] { text = print(model_, state); })) return {};
      bytes += text.size();
      if (bytes > kMostBytes) return {};
      graph_.states.push_back(std::move(text));
    }
    return std::move(graph_);
  }

 private:
  using State = StateOf<M>;
  static constexpr std::size_t kMostSteps = 10 * kMostDrawnStates;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 17U;

  void add(const StepInfo& info, const State& next) {
    if (graph_.steps.size() == kMostSteps) is_too_large_ = true;
    if (is_too_large_) return;
    StateGraph::Step step{
        from_, info.process, process_name(model_, info.process), std::string(info.action), {}};
    if (info.failure.empty()) {
      const auto known = std::find(states_.begin(), states_.end(), next);
      step.to = static_cast<std::uint32_t>(known - states_.begin());
      if (known == states_.end()) {
        is_too_large_ = states_.size() == kMostDrawnStates;
        if (!is_too_large_) states_.push_back(next);
      }
    }
    graph_.steps.push_back(std::move(step));
  }

  const M& model_;
  std::chrono::steady_clock::time_point deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
  StateGraph graph_;
  std::vector<State> states_;
  std::uint32_t from_ = 0;  ///< whose steps are computed
  bool is_too_large_ = false;
};

}  // namespace hocket::model
