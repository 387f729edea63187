// Runs each happens-before class within the bound exactly once, and cuts no run short: Musuvathi & Qadeer,
// Partial-Order Reduction for Context-Bounded State Exploration (MSR-TR-2007-12), Algorithm 2.
//
// The paper marks a state when every class that can be reached from it within the bound has been run, and
// marks again for the next bound. Here a state holds the first bound for which this is not yet true. That is
// the minimum, over all successors, of max(cost of the successor, bound that the state after it holds). So
// one pass over the cuts of a finished execution marks for all bounds, and no class is run twice when the
// bound rises.
#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "../../runtime/execution/execution.hpp"
#include "class_bounds.hpp"
#include "strategy.hpp"

namespace hocket {

namespace {

class CbPor final : public Strategy {
 public:
  explicit CbPor(const Options& options)
      : graph_(options.spurious_wakeups),
        bounds_(graph_, table_),
        last_bound_(std::min(options.max_preemptions, ClassBounds::kMost)) {}

  bool next() override {
    if (!bounds_.must_stop) bounds_.must_stop = must_stop;
    if (const StateTable::Row* root = bounds_.root(); root != nullptr) {
      if (root->done == kAll) return false;
      bound_ = std::max<unsigned>(bound_, root->done);
      left_out_ = bound_ > last_bound_;
    }
    return !left_out_;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    try {
      return choose_new(point);
    } catch (const SearchStopped&) {
      return runtime::kPruned;
    }
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (result.outcome == runtime::Outcome::diverged) return false;
    graph_.recording.finish(result);
    bounds_.ended(result.outcome);
    if (!graph_.recording.is_consistent()) return false;
    const bool is_known = std::exchange(nothing_is_left_, false);
    if (result.outcome == runtime::Outcome::pruned && !is_known) return true;  // stopped in the middle
    if (may_have_two_entries(result)) has_two_entries_ = wants_forced = true;
    try {
      if (is_known) {
        mark_before_top();
        return true;
      }
      return mark();
    } catch (const SearchStopped&) {
      return true;
    }
  }

  [[nodiscard]] unsigned bound() const override { return bound_; }
  [[nodiscard]] PendingWork pending() const override { return {0, 0, table_.bytes()}; }
  [[nodiscard]] std::vector<OrderedChoice> cheapest_order() override {
    try {
      return bounds_.cheapest_order(graph_.cuts.top());
    } catch (const SearchStopped&) {
      return {};
    }
  }
  [[nodiscard]] bool left_out_any() const override { return left_out_; }
  [[nodiscard]] bool has_bounds() const override { return true; }
  [[nodiscard]] bool is_complete() const override { return bounds_.is_complete(); }
  [[nodiscard]] std::string note() const override { return bounds_.note(); }
  runtime::Observer* observer() override { return &graph_.recording; }

 private:
  static constexpr std::uint8_t kAll = graph::kImpossible;

  /// Whether two threads together cause the failure, so that it comes with the step of either of them, after
  /// that of the other: both access data, or one uses an object that the other destroys.
  static bool depends_on_the_last_step(runtime::FailureKind kind) {
    using runtime::FailureKind;
    return kind == FailureKind::data_race || kind == FailureKind::use_after_destruction ||
           kind == FailureKind::misuse;
  }

  /// Whether another step, which this execution has taken before, could have come last and ended it as well.
  [[nodiscard]] bool may_have_two_entries(const runtime::ExecutionResult& result) const {
    using runtime::Outcome;
    if (result.outcome != Outcome::failed && result.outcome != Outcome::dropped) return false;
    return graph_.recording.has_joined_in_last_step() ||
           (result.outcome == Outcome::failed && depends_on_the_last_step(runtime::execution.failure().kind));
  }

  /// Chooses the cheapest candidate that leads to classes within the bound that have not been run.
  runtime::Code choose_new(const runtime::ChoicePoint& point) {
    graph_.recording.settle(runtime::run.hash);
    const graph::Cut cut = graph_.cuts.top();
    const graph::Enabled enabled = graph_.cuts.enabled(cut);
    const StateTable::Row* row = bounds_.visit(cut, enabled);
    if (!graph_.recording.is_consistent() || row == nullptr) return runtime::kDiverged;

    const unsigned kept = enabled.kept_running(graph_.recording.last());
    const runtime::ClassHash here = graph_.cuts.hash(cut);
    runtime::Code best = runtime::kDiverged;
    unsigned best_bound = ClassBounds::kMost + 1;
    runtime::ClassHash best_delta;
    graph_.transitions.for_each_successor(cut, enabled, [&](const graph::Successor& next) {
      unsigned bound = bounds_.bound(*row, cut, enabled, kept, next);
      if (bound > bound_ || done(*row, here, next) > bound_) return;
      if (next.code() == point.entry.code) bound = 0;  // the default saves a switch
      if (bound >= best_bound) return;
      best = next.code();
      best_bound = bound;
      best_delta = next.delta;
    });
    if (best == runtime::kDiverged && has_two_entries_) {
      // A class that ends with such a failure can be entered by either of the two steps. But a run that
      // enters it by one of them shows only what that step's thread would have done next. So a state from
      // which the other step leads there is found to be done only now.
      nothing_is_left_ = true;
      rises(cut, enabled, kept);
      return runtime::kPruned;
    }
    graph_.recording.expect(best_delta);
    return best;
  }

  [[nodiscard]] unsigned done(
      const StateTable::Row& costs, const runtime::ClassHash& here, const graph::Successor& next) {
    const StateTable::Row* row = bounds_.after(costs, here, next);
    return row == nullptr ? 0 : row->done;
  }

  // Marks the last state of the finished execution as done for all bounds and updates the states before it.
  // Returns false if it was done already, although no remaining choice should have led there.
  bool mark() {
    const graph::Cut top = graph_.cuts.top();
    StateTable::Row* last = bounds_.row(top, graph_.cuts.enabled(top).kept_running(graph_.recording.last()));
    if (last->done == kAll) return false;
    assert(bounds_.bound(*bounds_.row(top)) <= bound_);
    last->done = kAll;
    mark_before_top();
    return true;
  }

  void mark_before_top() {
    const unsigned width = graph_.recording.width();
    stack_.assign(graph_.cuts.top(), graph_.cuts.top() + width);
    cut_.resize(width);
    while (!stack_.empty()) {
      bounds_.poll();
      std::copy_n(stack_.end() - width, width, cut_.begin());
      stack_.resize(stack_.size() - width);
      graph_.transitions.for_each_maximal(cut_.data(), scratch_, [&](unsigned thread) {
        --cut_[thread];
        if (rises(cut_.data())) stack_.insert(stack_.end(), cut_.begin(), cut_.end());
        ++cut_[thread];
      });
    }
  }

  /// Recomputes the marks of the states of the cut. Returns whether one of them has risen.
  bool rises(graph::Cut cut) {
    const graph::Enabled enabled = graph_.cuts.enabled(cut);
    bool has_risen = rises(cut, enabled, graph::kNobody);
    enabled.forbidden.for_each([&](unsigned kept) { has_risen |= rises(cut, enabled, kept); });
    return has_risen;
  }

  bool rises(graph::Cut cut, const graph::Enabled& enabled, unsigned kept) {
    const StateTable::Row& costs = *bounds_.row(cut);
    StateTable::Row& row = *bounds_.row(cut, kept);
    const runtime::ClassHash here = graph_.cuts.hash(cut);
    unsigned least = kAll;
    graph_.transitions.for_each_successor(cut, enabled, [&](const graph::Successor& next) {
      if (least <= row.done) return;
      const unsigned bound = bounds_.bound(costs, cut, enabled, kept, next);
      if (bound < least) least = std::min(least, std::max(bound, done(costs, here, next)));
    });
    if (least <= row.done) return false;
    row.done = static_cast<std::uint8_t>(least);
    return true;
  }

  Graph graph_;
  StateTable table_;
  ClassBounds bounds_;
  unsigned bound_ = 0;
  unsigned last_bound_;
  bool left_out_ = false;
  bool has_two_entries_ = false;  ///< an execution has ended so that it may_have_two_entries()
  bool nothing_is_left_ =
      false;  ///< the current execution was ended because everything that follows has been run
  std::vector<graph::EventCount> stack_;
  std::vector<graph::EventCount> cut_;
  std::vector<graph::EventCount> scratch_;
};

}  // namespace

std::unique_ptr<Strategy> make_cb_por(const Options& options) {
  return std::make_unique<CbPor>(options);
}

}  // namespace hocket
