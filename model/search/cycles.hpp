// Searches for cycles on which a model may stay for ever although it should not: nested depth-first search
// (Courcoubetis, Vardi, Wolper and Yannakakis, Memory-Efficient Algorithms for the Verification of Temporal
// Properties, 1992).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../states/stores.hpp"
#include "exploration.hpp"
#include "product_stack.hpp"
#include "successors.hpp"

namespace hocket::model {

/// What makes a cycle an error.
enum class CycleKind : std::uint8_t { accepting, without_progress };

/// The search runs on a graph that is made of the model's states and of what the property and fairness have
/// to remember besides. A cycle of this graph through an accepting node is an error of the model, and the
/// other way round.
///
/// Weak fairness: a cycle counts only if every process takes a step on it or has none in one of its states.
/// After an accepting state, the graph waits for each process in turn; only when it has seen all of them is a
/// node accepting (Choueka's construction).
template <Model M>
class Cycles {
 public:
  using State = StateOf<M>;

  Cycles(Exploration<M>& exploration, CycleKind kind)
      : exploration_(exploration),
        successors_(exploration.model, exploration.options),
        kind_(kind),
        processes_(exploration.options.weak_fairness ? exploration.processes.all() : std::vector<Process>{}),
        set_(keeps_for(exploration.options.store)) {}

  /// Returns whether every node was visited.
  bool run() {
    const Node initial{representative(exploration_.model, exploration_.model.initial()), 0, false};
    enter(initial, 0, false);
    while (!frames_.empty()) {
      const auto figures = [&] { return std::pair<std::uint64_t, std::size_t>(set_.size(), bytes()); };
      if (exploration_.limits.reached(1, figures)) return false;
      Frame& frame = frames_.back();
      if (frame.next != frame.end) {
        const Edge edge = edges_[frame.next++];
        if (!follow(edge, frame.is_inner)) return true;
        continue;
      }
      if (!frame.is_inner && is_accepting(frame.node)) {
        // In post-order, the inner search looks for a way back to the outer stack.
        frame.is_inner = true;
        frame.next = frame.begin;
        inner_begin_ = frames_.size();
        record_of(frame.node).is_known_to_inner = true;
        continue;
      }
      leave();
    }
    return true;
  }

 private:
  struct Node {
    State state;
    std::uint32_t waits_for = 0;  ///< 0: for an accepting state; n: for the nth process; more: has seen all
    bool is_without_progress = false;

    friend bool operator==(const Node&, const Node&) = default;
  };
  struct Record {
    bool is_on_stack = false;  ///< of the outer search
    bool is_known_to_outer = false;
    bool is_known_to_inner = false;
  };
  using Set = StateSet<Node, Record>;
  using Edge = ProductEdge<Node>;
  struct Frame : ProductFrame<Node> {
    bool is_inner;
  };

  Record& record_of(const Node& node) {
    Hasher hasher;
    const Fingerprint of_state = fingerprint(exploration_.model, node.state);
    hasher.add(of_state.low);
    hasher.add(of_state.high);
    hasher.add(std::uint64_t{node.waits_for} << 1U | (node.is_without_progress ? 1U : 0U));
    return *set_.insert(hasher.result(), node).record;
  }

  [[nodiscard]] bool is_marked(const Node& node) const {
    if constexpr (HasAcceptance<M>) {
      if (kind_ == CycleKind::accepting) return exploration_.model.accepting(node.state);
    }
    return node.is_without_progress;
  }
  [[nodiscard]] bool is_accepting(const Node& node) const {
    return processes_.empty() ? is_marked(node) : node.waits_for > processes_.size();
  }
  [[nodiscard]] bool has_progress(const State& state) const {
    if constexpr (HasProgress<M>) {
      return exploration_.model.progress(state);
    } else {
      return true;
    }
  }

  void enter(const Node& node, std::uint32_t choice, bool is_inner) {
    Record& record = record_of(node);
    if (is_inner) {
      record.is_known_to_inner = true;
    } else {
      record.is_known_to_outer = record.is_on_stack = true;
    }
    frames_.push_back({{node, choice, edges_.size(), edges_.size(), 0}, is_inner});
    add_edges(node);
    frames_.back().end = edges_.size();
  }

  void leave() {
    const Frame& frame = frames_.back();
    const bool ends_outer = !frame.is_inner || frames_.size() == inner_begin_;
    if (ends_outer) record_of(frame.node).is_on_stack = false;
    edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(frame.begin), edges_.end());
    frames_.pop_back();
  }

  /// Returns whether the search goes on.
  bool follow(const Edge& edge, bool is_inner) {
    const Record record = record_of(edge.node);
    if (!is_inner) {
      if (!record.is_known_to_outer) enter(edge.node, edge.choice, false);
      return true;
    }
    if (record.is_on_stack) return report_cycle(edge);
    if (!record.is_known_to_inner) enter(edge.node, edge.choice, true);
    return true;
  }

  /// The path is that of the stack; the cycle begins where the last edge leads to.
  bool report_cycle(const Edge& last) {
    std::vector<std::uint32_t> choices;
    std::size_t cycle_begin = 0;
    for (std::size_t n = 0; n < frames_.size(); ++n) {
      if (n != 0) choices.push_back(frames_[n].choice);
      if (frames_[n].node == last.node && n < inner_begin_) cycle_begin = choices.size();
    }
    choices.push_back(last.choice);
    const ViolationKind kind =
        kind_ == CycleKind::accepting ? ViolationKind::acceptance_cycle : ViolationKind::progress_cycle;
    exploration_.violated(kind, choices, 0, cycle_begin);
    return false;  // one cycle is enough: many others run through the same states
  }

  void add_edges(const Node& node) {
    steps_.clear();
    successors_.append_representatives(node.state, steps_);
    const bool is_fair = !processes_.empty();
    for (const Step<M>& step : steps_) {
      if (step.fails) continue;
      Node next{step.next, is_fair ? waits_after(node, step.process) : 0, node.is_without_progress};
      if (kind_ == CycleKind::accepting || !node.is_without_progress) edges_.push_back({next, step.choice});
      // From any state on, the model may stay without progress for ever.
      if (kind_ == CycleKind::without_progress && !has_progress(step.next)) {
        next.is_without_progress = true;
        edges_.push_back({next, step.choice});
      }
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

  [[nodiscard]] std::size_t bytes() const {
    return set_.bytes_after_insert() + frames_.capacity() * sizeof(Frame) + edges_.capacity() * sizeof(Edge);
  }

  Exploration<M>& exploration_;
  Successors<M> successors_;
  CycleKind kind_;
  std::vector<Process> processes_;  ///< for which the graph waits
  Set set_;
  std::vector<Frame> frames_;
  std::vector<Edge> edges_;  ///< of all frames, one after the other
  std::vector<Step<M>> steps_;
  std::size_t inner_begin_ = 0;  ///< frames below this number are those of the outer search
};

}  // namespace hocket::model
