// Visits each state within the bound once: Musuvathi & Qadeer, Partial-Order Reduction for Context-Bounded
// State Exploration (MSR-TR-2007-12), Algorithm 1. A run is cut short when it reaches a state that another
// run has visited.
#include <algorithm>
#include <string>

#include "../../runtime/execution/execution.hpp"
#include "class_bounds.hpp"
#include "frontier_search.hpp"

namespace hocket {

namespace {

class BasicRules : public FrontierRules {
 public:
  static constexpr bool has_bounds = true;
  [[nodiscard]] static constexpr bool watches_new() { return true; }

  explicit BasicRules(bool spurious_wakeups) : parts_(std::make_unique<Parts>(spurious_wakeups)) {}

  void begin(unsigned /*bound*/, const std::function<bool()>& must_stop) {
    if (!parts_->bounds.must_stop) parts_->bounds.must_stop = must_stop;
    parts_->bounds.begin();
  }

  // Another run may have reached the state that this run branches off to while this run was pending.
  bool passes(const runtime::ChoicePoint& /*point*/, runtime::Code chosen) {
    try {
      return leads_to_something_new(chosen);
    } catch (const SearchStopped&) {
      return false;
    }
  }

  // A successor is pushed at the least price of reaching this state and continuing so. That is the price of
  // the class so far, and not of the schedule that happened to lead here.
  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& children) {
    try {
      return !goes_on(point, bound, children);
    } catch (const SearchStopped&) {
      return true;
    }
  }
  void branch(const runtime::ChoiceLog&, std::uint32_t, unsigned, std::vector<Child>&) {}

  bool ended(const runtime::ExecutionResult& result) {
    auto& [graph, states, bounds, is_deterministic] = *parts_;
    graph.recording.finish(result);
    bounds.ended(result.outcome);
    try {
      if (result.outcome != runtime::Outcome::pruned) states[bounds.top()].done = 1;
    } catch (const SearchStopped&) {
    }
    return is_deterministic && graph.recording.is_consistent();
  }
  std::vector<OrderedChoice> cheapest_order() {
    try {
      return parts_->bounds.cheapest_order();
    } catch (const SearchStopped&) {
      return {};
    }
  }
  static constexpr bool watches_forced = true;
  runtime::Observer* observer() { return &parts_->graph.recording; }
  [[nodiscard]] bool is_complete() const { return parts_->bounds.is_complete(); }
  [[nodiscard]] std::string note() const { return parts_->bounds.note(); }
  [[nodiscard]] std::size_t bytes() const { return parts_->states.bytes(); }

 private:
  /// The state that the execution is at, or kNone if the body does not behave as before.
  StateGraph::Id visit() {
    parts_->graph.recording.settle(runtime::run.hash);
    const StateGraph::Id here = parts_->bounds.visit();
    parts_->is_deterministic &= here != ClassBounds::kNone;
    if (here != ClassBounds::kNone) parts_->bounds.find_ends(here);
    return here;
  }

  bool leads_to_something_new(runtime::Code chosen) {
    const StateGraph::Id here = visit();
    if (here == ClassBounds::kNone) return false;
    const auto arcs = parts_->states.arcs(here);
    return std::none_of(arcs.begin(), arcs.end(), [&](const StateGraph::Arc& arc) {
      return parts_->bounds.code(arc.label) == chosen && is_known(arc);
    });
  }

  bool goes_on(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& children) {
    const StateGraph::Id here = visit();
    if (here == ClassBounds::kNone || parts_->states[here].done != 0) return false;
    parts_->states[here].done = 1;
    bool goes_on = false;
    for (const StateGraph::Arc& arc : parts_->states.arcs(here)) {
      if (is_known(arc)) continue;
      const runtime::Code code = parts_->bounds.code(arc.label);
      if (code == point.entry.code && arc.bound <= bound) {
        goes_on = true;
      } else {
        children.push_back({point.position, code, point.entry.check, arc.bound});
      }
    }
    return goes_on;
  }

  [[nodiscard]] bool is_known(const StateGraph::Arc& arc) const {
    return arc.to != ClassBounds::kNone && parts_->states[arc.to].done != 0;
  }

  struct Parts {  // they refer to each other, so they stay where they are
    explicit Parts(bool spurious_wakeups) : graph(spurious_wakeups), bounds(graph, states) {}
    Graph graph;
    StateGraph states;  ///< done: the state has been visited
    ClassBounds bounds;
    bool is_deterministic = true;
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace

std::unique_ptr<Strategy> make_cb_por_basic(const Options& options) {
  return std::make_unique<FrontierSearch<BasicRules>>(
      options.max_preemptions, BasicRules(options.spurious_wakeups));
}

}  // namespace hocket
