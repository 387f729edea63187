// The search for infinite paths that an automaton accepts: a depth-first search through the product of the
// model and the automaton, which looks for strongly connected parts with an accepting state (Gabow,
// Path-based depth-first search for strong and biconnected components, 2000).
//
// With a reduction, the steps of one process are explored alone where all of them are local and none leads
// back to the search stack. What that must depend on is the subject of Siegel, What's Wrong with On-the-Fly
// Partial Order Reduction (CAV 2019). It is sound if the choice depends on the state of the product that the
// steps leave, and the automaton is in stutter normal form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../api/automaton.hpp"
#include "../states/stores.hpp"
#include "exploration.hpp"
#include "product_stack.hpp"
#include "successors.hpp"

namespace hocket::model {

template <Model M>
class AcceptedPaths {
 public:
  using State = StateOf<M>;

  explicit AcceptedPaths(Exploration<M>& exploration)
      : exploration_(exploration),
        successors_(exploration.model, exploration.options),
        automaton_(exploration.model.automaton()),
        reduction_(reduction_for(exploration, automaton_)),
        set_(keeps_for(exploration.options.store)) {}

  /// Returns whether every state of the product was visited that has to be.
  bool run() {
    enter({representative(exploration_.model, exploration_.model.initial()), 0}, 0);
    while (!frames_.empty()) {
      const auto figures = [&] { return std::pair<std::uint64_t, std::size_t>(set_.size(), bytes()); };
      if (exploration_.limits.reached(1, figures)) return false;
      Frame& frame = frames_.back();
      if (frame.next == frame.end) {
        leave();
        continue;
      }
      const Edge edge = edges_[frame.next++];
      ++transitions_;
      if (!follow(edge)) break;
    }
    exploration_.report.product_states = set_.size();
    exploration_.report.product_transitions = transitions_;
    return true;
  }

 private:
  enum class Reduction : std::uint8_t {
    none,
    by_state,              ///< the steps that are explored depend on the state of the product
    by_intermediate_state  ///< … on the state of the model and the one that the automaton goes to
  };

  struct Node {
    State state;
    Automaton::State at = 0;

    friend bool operator==(const Node&, const Node&) = default;
  };
  struct Record {
    std::uint32_t order = 0;  ///< the number among the open nodes, from 1; 0: not visited, or no more open
    bool is_visited = false;
    bool is_on_stack = false;
  };
  using Set = StateSet<Node, Record>;
  using Edge = ProductEdge<Node>;
  using Frame = ProductFrame<Node>;
  /// A strongly connected part of the nodes on the stack and of those that lead back to it. It consists of
  /// the open nodes from `first` on, up to the next part.
  struct Part {
    std::uint32_t first;
    bool is_accepting;
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

  Fingerprint fingerprint_of(const Node& node) const {
    Hasher hasher;
    const Fingerprint of_state = fingerprint(exploration_.model, node.state);
    hasher.add(of_state.low);
    hasher.add(of_state.high);
    hasher.add(node.at);
    return hasher.result();
  }
  Record& record_of(const Node& node) { return *set_.insert(fingerprint_of(node), node).record; }
  [[nodiscard]] bool is_on_stack(const Node& node) {
    const Record* const record = set_.find(fingerprint_of(node), node);
    return record != nullptr && record->is_on_stack;
  }
  [[nodiscard]] bool is_accepting(const Node& node) const {
    return std::find(automaton_.accepting.begin(), automaton_.accepting.end(), node.at) !=
           automaton_.accepting.end();
  }

  void enter(const Node& node, std::uint32_t choice) {
    open_.push_back(node);
    const auto order = static_cast<std::uint32_t>(open_.size());
    record_of(node) = {order, true, true};
    parts_.push_back({order, is_accepting(node)});
    frames_.push_back({node, choice, edges_.size(), edges_.size(), 0});
    add_edges(node);
    frames_.back().end = edges_.size();
  }

  void leave() {
    const Frame& frame = frames_.back();
    Record& record = record_of(frame.node);
    record.is_on_stack = false;
    if (parts_.back().first == record.order) {
      for (std::size_t n = parts_.back().first - 1; n < open_.size(); ++n) record_of(open_[n]).order = 0;
      open_.resize(parts_.back().first - 1);
      parts_.pop_back();
    }
    edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(frame.begin), edges_.end());
    frames_.pop_back();
  }

  /// Returns whether the search goes on.
  bool follow(const Edge& edge) {
    const Record record = record_of(edge.node);
    if (!record.is_visited) {
      enter(edge.node, edge.choice);
      return true;
    }
    if (record.order == 0) return true;
    // The edge closes a cycle through all parts after the one that it leads to.
    while (parts_.back().first > record.order) {
      const bool is_accepting = parts_.back().is_accepting;
      parts_.pop_back();
      parts_.back().is_accepting |= is_accepting;
    }
    if (!parts_.back().is_accepting) return true;
    report_path(parts_.back().first);
    return false;  // one path is enough: many others run through the same states
  }

  void add_edges(const Node& node) {
    targets_.clear();
    const Automaton::Letter letter = exploration_.model.letter(node.state);
    for (const Automaton::Edge& edge : automaton_.edges) {
      if (edge.from == node.at && edge.letter == letter) targets_.push_back(edge.to);
    }
    if (targets_.empty()) return;
    steps_.clear();
    successors_.append_representatives(node.state, steps_);
    const Process alone = reduction_ == Reduction::by_state ? process_alone(letter, targets_) : kNoProcess;
    for (const Automaton::State& target : targets_) {
      add_edges_to(target, reduction_ == Reduction::by_intermediate_state
                               ? process_alone(letter, std::span(&target, 1))
                               : alone);
    }
  }
  /// Adds the steps of one process, or, for kNoProcess, of all.
  void add_edges_to(Automaton::State target, Process alone) {
    for (const Step<M>& step : steps_) {
      if (!step.fails && (alone == kNoProcess || step.process == alone))
        edges_.push_back({{step.next, target}, step.choice});
    }
  }

  /// A process whose steps can be explored alone, with which the automaton goes to any of `targets`; or
  /// kNoProcess.
  Process process_alone(Automaton::Letter letter, std::span<const Automaton::State> targets) {
    for (const Step<M>& first : steps_) {
      const auto may_be_explored = [&](const Step<M>& step) {
        if (step.process != first.process) return true;
        return step.is_local && !step.fails && !leads_back(step, letter, targets);
      };
      if (std::all_of(steps_.begin(), steps_.end(), may_be_explored)) return first.process;
    }
    return kNoProcess;
  }
  bool leads_back(const Step<M>& step, Automaton::Letter letter, std::span<const Automaton::State> targets) {
    if (exploration_.model.letter(step.next) != letter)
      throw ModelError(
          "a step that the model calls local changes letter(), so other processes can notice it");
    return std::any_of(targets.begin(), targets.end(), [&](Automaton::State target) {
      return is_on_stack({step.next, target});
    });
  }

  /// The open nodes from `first` on are strongly connected, and one of them is accepting.
  void report_path(std::uint32_t first) {
    std::vector<std::uint32_t> choices;
    std::size_t root = 0;  // the frame whose node is the first one
    while (record_of(frames_[root].node).order != first) ++root;
    for (std::size_t n = 1; n <= root; ++n) choices.push_back(frames_[n].choice);
    std::uint32_t accepting = first;
    while (!is_accepting(open_[accepting - 1])) ++accepting;
    if (accepting != first) append_way(first, first, accepting, choices);
    const std::size_t cycle_begin = choices.size();
    append_way(first, accepting, accepting, choices);
    exploration_.violated(ViolationKind::accepted_path, choices, 0, cycle_begin);
  }

  /// Appends the choices of a shortest way of at least one step between two open nodes, through open nodes
  /// from `first` on.
  void append_way(
      std::uint32_t first, std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& choices) {
    struct Visit {
      std::uint32_t before = 0;
      std::uint32_t choice = 0;
    };
    std::vector<Visit> visits(open_.size() - first + 1);
    std::vector<std::uint32_t> pending{from};
    const auto kept = std::exchange(reduction_, Reduction::none);  // any way will do
    const std::size_t begin = edges_.size();
    for (std::size_t n = 0; visits[to - first].before == 0; ++n) {
      add_edges(open_[pending[n] - 1]);
      for (std::size_t e = begin; e < edges_.size(); ++e) {
        const std::uint32_t order = record_of(edges_[e].node).order;
        if (order < first || visits[order - first].before != 0) continue;
        visits[order - first] = {pending[n], edges_[e].choice};
        pending.push_back(order);
      }
      edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(begin), edges_.end());
    }
    reduction_ = kept;
    const auto end = static_cast<std::ptrdiff_t>(choices.size());
    std::uint32_t at = to;
    do {
      choices.insert(choices.begin() + end, visits[at - first].choice);
      at = visits[at - first].before;
    } while (at != from);
  }

  [[nodiscard]] std::size_t bytes() const {
    return set_.bytes_after_insert() + frames_.capacity() * sizeof(Frame) + edges_.capacity() * sizeof(Edge) +
           open_.capacity() * sizeof(Node) + parts_.capacity() * sizeof(Part);
  }

  Exploration<M>& exploration_;
  Successors<M> successors_;
  const Automaton automaton_;
  Reduction reduction_;
  Set set_;
  std::vector<Frame> frames_;
  std::vector<Edge> edges_;  ///< of all frames, one after the other
  std::vector<Node> open_;   ///< visited, in parts that the search has not left yet
  std::vector<Part> parts_;
  std::vector<Step<M>> steps_;
  std::vector<Automaton::State> targets_;
  std::uint64_t transitions_ = 0;
};

}  // namespace hocket::model
