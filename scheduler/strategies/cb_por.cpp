// Runs each happens-before class within the bound exactly once, and cuts no run short: Musuvathi & Qadeer,
// Partial-Order Reduction for Context-Bounded State Exploration (MSR-TR-2007-12), Algorithm 2.
//
// The paper marks a state when every class that can be reached from it within the bound has been run, and
// marks again for the next bound. Here a state holds the first bound for which this is not yet true. That is
// the minimum, over all successors, of max(cost of the successor, bound that the state after it holds). So
// one pass over the states before that of a finished execution marks for all bounds, and no class is run
// twice when the bound rises.
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
  using Id = StateGraph::Id;

 public:
  CbPor(const Options& options, unsigned first_bound)
      : graph_(options.spurious_wakeups),
        bounds_(graph_, states_),
        bound_(first_bound),
        last_bound_(std::min(options.max_preemptions, ClassBounds::kMost)) {}

  bool next() override {
    if (!bounds_.must_stop) bounds_.must_stop = must_stop;
    if (const Id root = bounds_.root(); root != ClassBounds::kNone) {
      const unsigned done = states_[root].done;
      if (done == kAll) return false;
      bound_ = std::max(bound_, done);
      left_out_ = bound_ > last_bound_;
    }
    bounds_.begin();
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
      return is_known || mark();
    } catch (const SearchStopped&) {
      return true;
    }
  }

  [[nodiscard]] unsigned bound() const override { return bound_; }
  [[nodiscard]] PendingWork pending() const override { return {0, 0, states_.bytes()}; }
  [[nodiscard]] std::vector<OrderedChoice> cheapest_order() override {
    try {
      return bounds_.cheapest_order();
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
  /// that of the other: both access data, or one uses an object that the other destroys, or both blocks are
  /// broken.
  static bool depends_on_the_last_step(runtime::FailureKind kind) {
    using runtime::FailureKind;
    return kind == FailureKind::data_race || kind == FailureKind::use_after_destruction ||
           kind == FailureKind::misuse || kind == FailureKind::atomicity;
  }

  /// Whether another step, which this execution has taken before, could have come last and ended it as well.
  [[nodiscard]] bool may_have_two_entries(const runtime::ExecutionResult& result) const {
    using runtime::Outcome;
    if (result.outcome != Outcome::failed && result.outcome != Outcome::dropped) return false;
    return graph_.recording.has_joined_in_last_step() ||
           (result.outcome == Outcome::failed &&
               depends_on_the_last_step(runtime::Execution::failure().kind));
  }

  /// Chooses the cheapest candidate that leads to classes within the bound that have not been run.
  runtime::Code choose_new(const runtime::ChoicePoint& point) {
    graph_.recording.settle(runtime::run.hash);
    const Id here = bounds_.visit();
    if (!graph_.recording.is_consistent() || here == ClassBounds::kNone) return runtime::kDiverged;
    // A class that ends with a failure of two threads can be entered by either of the two steps. But a run
    // that enters it by one of them shows only what that step's thread would have done next. So a state from
    // which the other step leads there is found to be done only when it is visited.
    if (has_two_entries_) bounds_.find_ends(here);

    const StateGraph::Arc* best = nullptr;
    runtime::Code best_code = runtime::kDiverged;
    unsigned best_bound = ClassBounds::kMost + 1;
    for (const StateGraph::Arc& arc : states_.arcs(here)) {
      if (arc.bound > bound_ || done(arc) > bound_) continue;
      const runtime::Code code = bounds_.code(arc.label);
      const unsigned bound = code == point.entry.code ? 0U : arc.bound;  // the default saves a switch
      if (bound >= best_bound) continue;
      best = &arc;
      best_code = code;
      best_bound = bound;
    }
    if (best == nullptr) {
      if (!has_two_entries_) return runtime::kDiverged;
      nothing_is_left_ = true;
      if (rises(here)) mark_before(states_.cut_of(here));
      return runtime::kPruned;
    }
    graph_.recording.expect(bounds_.delta(*best));
    return best_code;
  }

  [[nodiscard]] unsigned done(const StateGraph::Arc& arc) const {
    return arc.to == ClassBounds::kNone ? 0U : states_[arc.to].done;
  }

  // Marks the last state of the finished execution as done for all bounds and updates the states before it.
  // Returns false if it was done already, although no remaining choice should have led there.
  bool mark() {
    const Id last = bounds_.top();
    if (states_[last].done == kAll) return false;
    const Id cut = states_.cut_of(last);
    // An event that no execution before could tell of: threads share something that Hocket does not see.
    if (bounds_.bound(cut) == graph::kImpossible) return false;
    assert(bounds_.bound(cut) <= bound_);
    states_[last].done = kAll;
    mark_before(cut);
    return true;
  }

  /// Updates the states before the cut, a state of which has come to be done up to a higher bound. A cut has
  /// a higher number than those before it. So the highest comes next, and each is looked at once: when
  /// nothing that follows it changes any more.
  void mark_before(Id cut) {
    const auto add_before = [&](Id risen) {
      for (const Id before : states_.before(risen)) {
        if (std::exchange(states_[before].is_pending, true)) continue;
        pending_.push_back(before);
        std::push_heap(pending_.begin(), pending_.end());
      }
    };
    add_before(cut);
    while (!pending_.empty()) {
      bounds_.poll();
      std::pop_heap(pending_.begin(), pending_.end());
      const Id here = pending_.back();
      pending_.pop_back();
      states_[here].is_pending = false;
      bool has_risen = false;
      states_.for_each_of_cut(here, [&](Id state) { has_risen |= rises(state); });
      if (has_risen) add_before(here);
    }
  }

  /// Recomputes up to which bound the state is done. Returns whether that has risen.
  bool rises(Id id) {
    std::uint8_t& known = states_[id].done;
    unsigned least = kAll;
    for (const StateGraph::Arc& arc : states_.arcs(id)) {
      least = std::min(least, std::max<unsigned>(arc.bound, done(arc)));
      if (least <= known) break;
    }
    if (least <= known) return false;
    known = static_cast<std::uint8_t>(least);
    return true;
  }

  Graph graph_;
  StateGraph states_;
  ClassBounds bounds_;
  unsigned bound_;
  unsigned last_bound_;
  bool left_out_ = false;
  bool has_two_entries_ = false;  ///< an execution has ended so that it may_have_two_entries()
  bool nothing_is_left_ =
      false;                 ///< the current execution was ended because everything that follows has been run
  std::vector<Id> pending_;  ///< a heap of the cuts that mark_before() has yet to look at
};

}  // namespace

std::unique_ptr<Strategy> make_cb_por(const Options& options) {
  return make_cb_por_from(options, 0);
}

std::unique_ptr<Strategy> make_cb_por_from(const Options& options, unsigned first_bound) {
  return std::make_unique<CbPor>(options, first_bound);
}

}  // namespace hocket
