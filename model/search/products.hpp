// The graphs that searches for infinite paths go through: the states of a model, each with what a property
// remembers besides. A cycle of such a graph through an accepting node is an error of the model, and the
// other way round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../api/automaton.hpp"
#include "exploration.hpp"
#include "successors.hpp"

namespace hocket::model {

/// A step to another node of a product.
template <class Node>
struct ProductEdge {
  Node node;
  std::uint32_t choice;  ///< the number of the model's step
  Process process;       ///< that takes it
};

/// Reports a path of a product. What it adds to paths that end is no step of the model.
template <Model M>
void report_cycle(Exploration<M>& exploration, ViolationKind kind, std::vector<std::uint32_t> choices,
    unsigned preemptions, std::size_t cycle_begin) {
  std::erase(choices, kNoStep);
  exploration.violated(kind, choices, preemptions, std::min(cycle_begin, choices.size()));
}

/// The fingerprint of a node: a state, and what a property remembers besides.
template <Model M>
Fingerprint fingerprint_of_node(const M& model, const StateOf<M>& state, std::uint64_t besides) {
  Hasher hasher;
  const Fingerprint of_state = fingerprint(model, state);
  hasher.add(of_state.low);
  hasher.add(of_state.high);
  hasher.add(besides);
  return hasher.result();
}

/// For a search without a reduction: see append_edges().
inline constexpr auto kAllIsOnStack = [](const auto& /*node*/) { return true; };

/// What makes a cycle an error.
enum class CycleKind : std::uint8_t { accepting, without_progress };

/// The model and whether its path has begun to make no progress.
///
/// Weak fairness: a cycle counts only if every process takes a step on it or has none in one of its states.
/// After an accepting state, the graph waits for each process in turn; only when it has seen all of them is a
/// node accepting (Choueka's construction).
template <Model M>
class CycleProduct {
 public:
  using Checked = M;
  using State = StateOf<M>;
  struct Node {
    State state;
    std::uint32_t waits_for = 0;  ///< 0: for an accepting state; n: for the nth process; more: has seen all
    bool is_without_progress = false;

    friend bool operator==(const Node&, const Node&) = default;
  };

  CycleProduct(const Exploration<M>& exploration, CycleKind kind)
      : model_(exploration.model),
        successors_(exploration.model, exploration.options),
        kind_(kind),
        processes_(exploration.options.weak_fairness ? exploration.processes.all() : std::vector<Process>{}) {
  }

  [[nodiscard]] ViolationKind kind() const {
    return kind_ == CycleKind::accepting ? ViolationKind::acceptance_cycle : ViolationKind::progress_cycle;
  }
  /// The nodes in which paths begin.
  [[nodiscard]] std::vector<Node> initial() const {
    std::vector<Node> nodes;
    append_nodes({representative(model_, model_.initial()), 0, false},
        [&](const Node& node) { nodes.push_back(node); });
    return nodes;
  }
  [[nodiscard]] Fingerprint fingerprint_of(const Node& node) const {
    return fingerprint_of_node(
        model_, node.state, std::uint64_t{node.waits_for} << 1U | (node.is_without_progress ? 1U : 0U));
  }
  [[nodiscard]] bool is_accepting(const Node& node) const {
    return processes_.empty() ? is_marked(node) : node.waits_for > processes_.size();
  }
  /// These edges are not reduced.
  template <class IsOnStack>
  void append_edges(const Node& node, std::vector<ProductEdge<Node>>& edges, IsOnStack /*is_on_stack*/) {
    steps_.clear();
    successors_.append_representatives(node.state, steps_);
    const bool is_fair = !processes_.empty();
    for (const Step<M>& step : steps_) {
      if (step.fails) continue;
      append_nodes({step.next, is_fair ? waits_after(node, step.process) : 0, node.is_without_progress},
          [&](const Node& next) {
            edges.push_back({next, step.choice, step.process});
          });
    }
  }
  /// Those of the node whose edges were appended last.
  [[nodiscard]] const std::vector<Step<M>>& steps() const { return steps_; }

 private:
  /// Calls `take` for the nodes with which a path may come to this state, which is as yet marked as the state
  /// before it.
  template <class Take>
  void append_nodes(Node node, Take take) const {
    if (kind_ == CycleKind::accepting || !node.is_without_progress) take(node);
    // From any state on, the model may stay without progress for ever.
    if (kind_ == CycleKind::without_progress && !has_progress(node.state)) {
      node.is_without_progress = true;
      take(node);
    }
  }
  [[nodiscard]] bool is_marked(const Node& node) const {
    if constexpr (HasAcceptance<M>) {
      if (kind_ == CycleKind::accepting) return model_.accepting(node.state);
    }
    return node.is_without_progress;
  }
  [[nodiscard]] bool has_progress(const State& state) const {
    if constexpr (HasProgress<M>) {
      return model_.progress(state);
    } else {
      return true;
    }
  }
  /// For whom the graph waits after a step of `process`.
  [[nodiscard]] std::uint32_t waits_after(const Node& node, Process process) const {
    const bool is_idle = node.waits_for == 0 || node.waits_for > processes_.size();
    if (is_idle) return is_marked(node) ? 1 : 0;
    const Process awaited = processes_[node.waits_for - 1];
    const bool has_step = std::any_of(
        steps_.begin(), steps_.end(), [awaited](const Step<M>& step) { return step.process == awaited; });
    return process == awaited || !has_step ? node.waits_for + 1 : node.waits_for;
  }

  const M& model_;
  Successors<M> successors_;
  CycleKind kind_;
  std::vector<Process> processes_;  ///< for which the graph waits
  std::vector<Step<M>> steps_;
};

/// The model and the automaton that reads its letters. Properties are about paths that end, too: their last
/// state is read for ever.
///
/// With a reduction, the steps of one process are explored alone where all of them are local and none leads
/// back to the search stack. What that must depend on is the subject of Siegel, What's Wrong with On-the-Fly
/// Partial Order Reduction (CAV 2019). It is sound if the choice depends on the state of the product that the
/// steps leave, and the automaton is in stutter normal form.
template <Model M>
class AutomatonProduct {
 public:
  using Checked = M;
  using State = StateOf<M>;
  struct Node {
    State state;
    Automaton::State at = 0;

    friend bool operator==(const Node&, const Node&) = default;
  };

  explicit AutomatonProduct(const Exploration<M>& exploration)
      : model_(exploration.model),
        successors_(exploration.model, exploration.options),
        automaton_(automaton_of(exploration.model)),
        reduction_(reduction_for(exploration, automaton_)) {}

  [[nodiscard]] static ViolationKind kind() { return ViolationKind::accepted_path; }
  /// The nodes in which paths begin.
  [[nodiscard]] std::vector<Node> initial() const { return {{representative(model_, model_.initial()), 0}}; }
  [[nodiscard]] Fingerprint fingerprint_of(const Node& node) const {
    return fingerprint_of_node(model_, node.state, node.at);
  }
  [[nodiscard]] bool is_accepting(const Node& node) const {
    return std::find(automaton_.accepting.begin(), automaton_.accepting.end(), node.at) !=
           automaton_.accepting.end();
  }
  /// A reduction keeps steps to nodes for which `is_on_stack` from being explored alone.
  template <class IsOnStack>
  void append_edges(const Node& node, std::vector<ProductEdge<Node>>& edges, IsOnStack is_on_stack) {
    targets_.clear();
    const Automaton::Letter letter = letter_of(model_, node.state);
    for (const Automaton::Edge& edge : automaton_.edges) {
      if (edge.from == node.at && edge.letter == letter) targets_.push_back(edge.to);
    }
    steps_.clear();
    if (targets_.empty()) return;
    successors_.append_representatives(node.state, steps_);
    if (HasProperty<M> && steps_.empty()) {
      for (const Automaton::State target : targets_)
        edges.push_back({{node.state, target}, kNoStep, Process{}});
      return;
    }
    const auto process_alone_to = [&](std::span<const Automaton::State> targets) {
      return process_alone(letter, targets, is_on_stack);
    };
    const Process alone = reduction_ == Reduction::by_state ? process_alone_to(targets_) : kNoProcess;
    for (const Automaton::State& target : targets_) {
      const Process his =
          reduction_ == Reduction::by_intermediate_state ? process_alone_to(std::span(&target, 1)) : alone;
      for (const Step<M>& step : steps_) {
        if (!step.fails && (his == kNoProcess || step.process == his))
          edges.push_back({{step.next, target}, step.choice, step.process});
      }
    }
  }
  /// Those of the node whose edges were appended last, if it has any edges.
  [[nodiscard]] const std::vector<Step<M>>& steps() const { return steps_; }

 private:
  enum class Reduction : std::uint8_t {
    none,
    by_state,              ///< the steps that are explored depend on the state of the product
    by_intermediate_state  ///< … on the state of the model and the one that the automaton goes to
  };

  static Reduction reduction_for(const Exploration<M>& exploration, const Automaton& automaton) {
    switch (exploration.flaws.reduction) {
      case FlawedReduction::v0:
        return Reduction::by_intermediate_state;
      case FlawedReduction::v1:
        return Reduction::by_state;
      case FlawedReduction::none:
        break;
    }
    return exploration.options.reduce && is_in_stutter_normal_form(automaton) ? Reduction::by_state
                                                                              : Reduction::none;
  }

  /// A process whose steps can be explored alone, with which the automaton goes to any of `targets`; or
  /// kNoProcess.
  template <class IsOnStack>
  Process process_alone(
      Automaton::Letter letter, std::span<const Automaton::State> targets, IsOnStack is_on_stack) {
    const auto leads_back = [&](const Step<M>& step) {
      if (letter_of(model_, step.next) != letter)
        throw ModelError(
            "a step that the model calls local changes letter(), so other processes can notice it");
      return std::any_of(targets.begin(), targets.end(), [&](Automaton::State target) {
        return is_on_stack(Node{step.next, target});
      });
    };
    for (const Step<M>& first : steps_) {
      const auto may_be_explored = [&](const Step<M>& step) {
        return step.process != first.process || (step.is_local && !step.fails && !leads_back(step));
      };
      if (std::all_of(steps_.begin(), steps_.end(), may_be_explored)) return first.process;
    }
    return kNoProcess;
  }

  const M& model_;
  Successors<M> successors_;
  const Automaton automaton_;
  Reduction reduction_;
  std::vector<Step<M>> steps_;
  std::vector<Automaton::State> targets_;
};

}  // namespace hocket::model
