// Visits each state within the bound once: Musuvathi & Qadeer, Partial-Order Reduction for Context-Bounded
// State Exploration (MSR-TR-2007-12), Algorithm 1. A run is cut short when it reaches a state that another
// run has visited.
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
    auto& [graph, table, bounds, is_deterministic] = *parts_;
    graph.recording.finish(result);
    bounds.ended(result.outcome);
    try {
      const graph::Cut top = graph.cuts.top();
      const unsigned kept = graph.cuts.enabled(top).kept_running(graph.recording.last());
      if (result.outcome != runtime::Outcome::pruned) bounds.row(top, kept)->done = 1;
    } catch (const SearchStopped&) {
    }
    return is_deterministic && graph.recording.is_consistent();
  }
  std::vector<OrderedChoice> cheapest_order() {
    try {
      return parts_->bounds.cheapest_order(parts_->graph.cuts.top());
    } catch (const SearchStopped&) {
      return {};
    }
  }
  static constexpr bool watches_forced = true;
  runtime::Observer* observer() { return &parts_->graph.recording; }
  [[nodiscard]] bool is_complete() const { return parts_->bounds.is_complete(); }
  [[nodiscard]] std::string note() const { return parts_->bounds.note(); }
  [[nodiscard]] std::size_t bytes() const { return parts_->table.bytes(); }

 private:
  bool leads_to_something_new(runtime::Code chosen) {
    // Lambdas cannot capture structured bindings under Clang 14.
    Graph& graph = parts_->graph;
    graph.recording.settle(runtime::run.hash);
    const graph::Cut cut = graph.cuts.top();
    const graph::Enabled enabled = graph.cuts.enabled(cut);
    const StateTable::Row* const costs = parts_->bounds.visit(cut, enabled);
    parts_->is_deterministic &= costs != nullptr;
    if (costs == nullptr) return false;
    bool is_new = true;
    graph.transitions.for_each_successor(cut, enabled, [&](const graph::Successor& next) {
      if (next.code() == chosen) is_new = !is_known(*costs, graph.cuts.hash(cut), next);
    });
    return is_new;
  }

  bool goes_on(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& children) {
    Graph& graph = parts_->graph;
    ClassBounds& bounds = parts_->bounds;
    graph.recording.settle(runtime::run.hash);
    const graph::Cut cut = graph.cuts.top();
    const runtime::ClassHash here = graph.cuts.hash(cut);
    const graph::Enabled enabled = graph.cuts.enabled(cut);
    StateTable::Row* const costs = bounds.visit(cut, enabled);
    parts_->is_deterministic &= costs != nullptr;
    if (costs == nullptr) return false;
    const unsigned kept = enabled.kept_running(graph.recording.last());
    StateTable::Row* const row = bounds.row(cut, kept);
    if (row->done != 0) return false;
    row->done = 1;
    bool goes_on = false;
    graph.transitions.for_each_successor(cut, enabled, [&](const graph::Successor& next) {
      const unsigned price = bounds.bound(*costs, cut, enabled, kept, next);
      if (price == graph::kImpossible || is_known(*costs, here, next)) return;
      if (next.code() == point.entry.code && price <= bound) {
        goes_on = true;
      } else {
        children.push_back({point.position, next.code(), point.entry.check, price});
      }
    });
    return goes_on;
  }

  bool is_known(const StateTable::Row& costs, const runtime::ClassHash& here, const graph::Successor& next) {
    const StateTable::Row* row = parts_->bounds.after(costs, here, next);
    return row != nullptr && row->done != 0;
  }

  struct Parts {  // they refer to each other, so they stay where they are
    explicit Parts(bool spurious_wakeups) : graph(spurious_wakeups), bounds(graph, table) {}
    Graph graph;
    StateTable table;  ///< done: the state has been visited
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
