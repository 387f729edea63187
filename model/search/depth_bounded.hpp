// Iterative depth bounding: depth-first search up to a bound on the number of steps, which rises.
//
// Udupa, Desai and Rajamani, Depth Bounded Explicit-State Model Checking (SPIN 2011): Figure 5
// (Revisits::less_depth) and 6 (threshold), the frontier tree of section 4.2, and for comparison Figure 3
// (Flaws::never_revisits), which loses states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../states/stores.hpp"
#include "exploration.hpp"
#include "frontier_nodes.hpp"
#include "successors.hpp"

namespace hocket::model {

template <Model M>
class DepthBounded {
 public:
  using State = StateOf<M>;

  explicit DepthBounded(Exploration<M>& exploration)
      : exploration_(exploration),
        successors_(exploration.model, exploration.options),
        set_(keeps_for(exploration.options.store)),
        nodes_(exploration.options.frontier, exploration.model.initial()) {}

  Coverage run() {
    const std::uint32_t most = options().max_depth;
    const std::uint32_t step = options().depth_step != 0 ? std::min(options().depth_step, most) : most;
    Coverage coverage;
    const State initial = exploration_.model.initial();
    chain_.push_back({Nodes::kRoot, initial});
    std::vector<FrontierNode> frontier{Nodes::kRoot};
    if (!meet(insert(initial), initial, nullptr)) frontier.clear();
    for (bound_ = step; coverage.is_complete && !frontier.empty(); bound_ += std::min(step, most - bound_)) {
      for (const FrontierNode node : frontier) {
        if (!search_from(node)) {
          coverage.is_complete = false;
          break;
        }
        nodes_.finish(node);
      }
      frontier = take_frontier();
      if (coverage.is_complete) report().complete_depth = bound_;
      if (bound_ == most) break;
    }
    coverage.is_complete &= exploration_.report.violations.empty() || options().keep_going;
    coverage.is_everything = frontier.empty();
    exploration_.processes.add(successors_.processes());
    exploration_.report.states = set_.size();
    exploration_.report.store_bytes = set_.bytes();
    exploration_.report.omission_probability = omission_probability(keeps_for(options().store), set_.size());
    return coverage;
  }

 private:
  static constexpr std::uint32_t kNotVisited = ~0U;

  struct Record {
    /// The state has to be visited again at a depth below this. 0: never again.
    std::uint32_t again_below = kNotVisited;
    FrontierNode frontier = kNoNode;  ///< its node, if it is in the frontier of the current bound
  };
  using Set = StateSet<State, Record>;
  using Nodes = FrontierNodes<State>;

  struct Frame {
    State state;
    Record* record;
    std::uint32_t choice;
    std::uint32_t depth;
    std::size_t begin;
    std::size_t next;
    std::size_t end;
    std::int64_t threshold;  ///< the greatest that a successor has asked for
  };

  const Options& options() const { return exploration_.options; }
  Report& report() { return exploration_.report; }

  typename Set::Place insert(const State& state) {
    const auto& known_as = representative(exploration_.model, state);
    return set_.insert(fingerprint(exploration_.model, known_as), known_as);
  }

  /// Checks a state that a step has led to. Returns whether the search goes on.
  bool meet(const typename Set::Place& place, const State& state, const std::uint32_t* last_choice) {
    if (!place.is_new || exploration_.holds(state)) return true;
    return violated(ViolationKind::invariant, last_choice);
  }

  bool search_from(FrontierNode node) {
    if (nodes_.is_removed(node)) return true;
    if (has_explored_enough()) return false;
    origin_ = node;
    const State state = state_of(node);
    Record& record = *insert(state).record;
    if (nodes_.depth(node) >= record.again_below) return true;
    if (!enter(state, record, 0, nodes_.depth(node))) return false;
    while (!frames_.empty()) {
      const auto figures = [&] { return std::pair<std::uint64_t, std::size_t>(set_.size(), bytes()); };
      if (exploration_.limits.reached(1, figures)) return false;
      Frame& frame = frames_.back();
      if (frame.next == frame.end) {
        leave();
        continue;
      }
      if (has_explored_enough()) return false;
      const Step<M>& step = steps_[frame.next++];
      ++report().transitions;
      if (step.fails) {
        if (!violated(ViolationKind::step, &step.choice)) return false;
      } else if (!arrive(State(step.next), step.choice, frame.depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool has_explored_enough() {
    return exploration_.limits.reached_transitions(report().transitions + report().replayed_steps);
  }

  /// A step leads to `state` at `depth`. Returns whether the search goes on.
  bool arrive(const State& state, std::uint32_t choice, std::uint32_t depth) {
    const auto place = insert(state);
    Record& record = *place.record;
    report().depth = std::max(report().depth, depth);
    if (!meet(place, state, &choice)) return false;
    if (depth >= record.again_below) {
      ask_above(record.again_below);
    } else if (depth >= bound_) {
      if (record.frontier == kNoNode) add_to_frontier(record, state, choice, depth);
      ask_above(depth);
    } else {
      return enter(state, record, choice, depth);
    }
    return true;
  }

  bool enter(const State& state, Record& record, std::uint32_t choice, std::uint32_t depth) {
    record.again_below = exploration_.flaws.never_revisits ? 0 : depth;
    if (record.frontier != kNoNode) {
      if (depth < nodes_.depth(record.frontier)) nodes_.remove(record.frontier);
      record.frontier = kNoNode;
    }
    frames_.push_back({state, &record, choice, depth, steps_.size(), steps_.size(), 0, -1});
    ++report().visits;
    successors_.append(state, steps_);
    frames_.back().end = steps_.size();
    if (frames_.back().begin != frames_.back().end) return true;
    ++report().end_states;
    return !exploration_.is_deadlock(state) || violated(ViolationKind::deadlock, nullptr);
  }

  void leave() {
    const Frame& frame = frames_.back();
    if (options().revisits == Revisits::threshold)
      frame.record->again_below = static_cast<std::uint32_t>(std::max<std::int64_t>(frame.threshold, 0));
    const std::uint32_t again_below = frame.record->again_below;
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(frame.begin), steps_.end());
    frames_.pop_back();
    ask_above(again_below);
  }

  /// The state on top of the stack has a successor that has to be visited again below this depth.
  void ask_above(std::uint32_t again_below) {
    if (frames_.empty()) return;
    Frame& frame = frames_.back();
    frame.threshold = std::max(frame.threshold, static_cast<std::int64_t>(again_below) - 1);
  }

  void add_to_frontier(Record& record, const State& state, std::uint32_t choice, std::uint32_t depth) {
    const bool is_last_bound = bound_ == options().max_depth;
    std::vector<std::uint32_t> choices;
    if (!is_last_bound) {
      for (std::size_t n = 1; n < frames_.size(); ++n) choices.push_back(frames_[n].choice);
      choices.push_back(choice);
    }
    record.frontier = nodes_.add(origin_, std::move(choices), state, depth, is_last_bound);
    frontier_.push_back(record.frontier);
    report().frontier_bytes = std::max(report().frontier_bytes, nodes_.bytes());
  }

  std::vector<FrontierNode> take_frontier() {
    std::erase_if(frontier_, [this](FrontierNode node) {
      const bool is_removed = nodes_.is_removed(node);
      if (is_removed) nodes_.finish(node);
      return is_removed;
    });
    report().frontier_peak = std::max<std::uint64_t>(report().frontier_peak, frontier_.size());
    return std::exchange(frontier_, {});
  }

  /// The state of a frontier node.
  State state_of(FrontierNode node) {
    if (options().frontier == Frontier::states) return nodes_.state(node);
    std::vector<FrontierNode> way;  // from the node up to the one that is known
    if (options().frontier == Frontier::traces) chain_.resize(1);
    for (FrontierNode at = node;; at = nodes_.parent(at)) {
      const auto known =
          std::find_if(chain_.begin(), chain_.end(), [at](const auto& one) { return one.first == at; });
      if (known != chain_.end()) {
        chain_.erase(known + 1, chain_.end());
        break;
      }
      way.push_back(at);
    }
    std::reverse(way.begin(), way.end());
    for (const FrontierNode at : way) {
      State state = chain_.back().second;
      for (const std::uint32_t choice : nodes_.choices(at)) {
        const std::size_t begin = steps_.size();
        successors_.append(state, steps_);
        if (begin + choice >= steps_.size())
          throw ModelError(
              "a path of the search cannot be taken again: successors() must depend on the state only");
        state = steps_[begin + choice].next;
        steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(begin), steps_.end());
        ++report().replayed_steps;
      }
      chain_.push_back({at, std::move(state)});
    }
    return chain_.back().second;
  }

  bool violated(ViolationKind kind, const std::uint32_t* last_choice) {
    std::vector<std::uint32_t> choices = nodes_.path_to(origin_);
    for (std::size_t n = 1; n < frames_.size(); ++n) choices.push_back(frames_[n].choice);
    if (last_choice != nullptr) choices.push_back(*last_choice);
    return exploration_.violated(kind, choices, 0);
  }

  [[nodiscard]] std::size_t bytes() const {
    return set_.bytes_after_insert() + nodes_.bytes() + frames_.capacity() * sizeof(Frame) +
           steps_.capacity() * sizeof(Step<M>);
  }

  Exploration<M>& exploration_;
  Successors<M> successors_;
  Set set_;
  Nodes nodes_;
  std::vector<FrontierNode> frontier_;  ///< nodes at the current bound
  /// The node that was rebuilt last, and those before it. While nodes are added, the search goes on from that
  /// node, so all of them are in use, and no new node has the number of one of them.
  std::vector<std::pair<FrontierNode, State>> chain_;
  FrontierNode origin_ = Nodes::kRoot;  ///< the node from which the stack begins
  std::uint32_t bound_ = 0;
  std::vector<Frame> frames_;
  std::vector<Step<M>> steps_;
};

}  // namespace hocket::model
