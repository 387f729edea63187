// The rules of sleep sets: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems
// (1996).
//
// A step whose continuations from a state have all been searched is put to sleep. It sleeps in the following
// states until a dependent step happens. Taking a sleeping step leads only to classes that are known.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../graph/graph.hpp"
#include "frontier_search.hpp"

namespace hocket {

/// `counts_preemptions` combines sleep sets with a preemption bound, which loses classes (Musuvathi & Qadeer,
/// Partial-Order Reduction for Context-Bounded State Exploration, Figure 1). It exists for the test that
/// shows this.
template <bool counts_preemptions>
class SleepRules : public FrontierRules {
 public:
  static constexpr bool has_bounds = counts_preemptions;
  [[nodiscard]] static constexpr bool watches_new() { return true; }
  static constexpr bool watches_all = true;
  static constexpr bool watches_forced = true;

  explicit SleepRules(bool spurious_wakeups) : graph_(std::make_unique<Graph>(spurious_wakeups)) {}

  void begin(unsigned /*bound*/, const std::function<bool()>& /*must_stop*/) {
    asleep_.clear();
    seen_ = 0;
  }

  // Candidates are searched in the order in which the frontier supplies them: the default first, then the
  // others from the last to the first. Those before the chosen one are put to sleep.
  bool passes(const runtime::ChoicePoint& point, runtime::Code chosen) {
    const graph::Enabled enabled = wake();
    if (point.entry.kind == runtime::LogEntry::value || chosen == point.entry.code) return true;
    point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
      const bool is_before = candidate.code == point.entry.code || candidate.code > chosen;
      if (is_before && !sleeps(candidate.code)) put_to_sleep(candidate.code, enabled);
    });
    return true;
  }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& children) {
    wake();
    const bool is_value = point.entry.kind == runtime::LogEntry::value;
    point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
      if (candidate.code == point.entry.code || (!is_value && sleeps(candidate.code))) return;
      children.push_back({point.position, candidate.code, point.entry.check,
          counts_preemptions ? bound + candidate.price : bound});
    });
    return !is_value && sleeps(point.entry.code);
  }

  void branch(const runtime::ChoiceLog&, std::uint32_t, unsigned, std::vector<Child>&) {}

  bool ended(const runtime::ExecutionResult& result) {
    has_guards_ |= graph_->recording.has_guards();
    misses_leaks_ |= graph_->recording.has_lost_a_leak(result.outcome);
    return true;
  }

  runtime::Observer* observer() { return &graph_->recording; }
  [[nodiscard]] bool is_complete() const { return !counts_preemptions && !has_guards_ && !misses_leaks_; }
  [[nodiscard]] std::string note() const {
    return has_guards_ ? "a no_preemption guard, or std::lock, joins steps that sleep sets take apart, so "
                         "classes may have been missed: use dfs"
           : misses_leaks_ ? graph::Recording::kLostLeak
                           : "";
  }

 private:
  struct Sleeper {
    runtime::Code code;
    bool minds_everybody;  ///< see Event::depends_on_everybody
    std::vector<graph::ObjectAccess> accesses;
  };

  [[nodiscard]] bool sleeps(runtime::Code code) const {
    return std::any_of(
        asleep_.begin(), asleep_.end(), [&](const Sleeper& sleeper) { return sleeper.code == code; });
  }

  void put_to_sleep(runtime::Code code, const graph::Enabled& enabled) {
    Sleeper sleeper{code, false, {}};
    const unsigned thread = runtime::thread_of(code);
    const runtime::Mode mode = runtime::mode_of(code);
    graph::Event event;
    event.operation = runtime::execution.thread(thread).pending.operation;
    event.mode = mode;
    sleeper.minds_everybody = event.depends_on_everybody();
    graph_->transitions.accesses(graph_->cuts.top(), enabled, thread, mode, sleeper.accesses);
    asleep_.push_back(std::move(sleeper));
  }

  // Wakes the sleepers that depend on what has happened since the last point, and all sleeping steps of the
  // threads that have run since then.
  graph::Enabled wake() {
    graph_->recording.settle(runtime::run.hash);
    for (; seen_ < graph_->recording.size(); ++seen_) {
      const graph::Event& event = graph_->recording.event(seen_);
      const unsigned thread = graph_->recording.thread_of_event(seen_);
      std::erase_if(asleep_, [&](const Sleeper& sleeper) {
        return runtime::thread_of(sleeper.code) == thread || depends(sleeper, event);
      });
    }
    return graph_->cuts.enabled(graph_->cuts.top());
  }

  [[nodiscard]] bool depends(const Sleeper& sleeper, const graph::Event& event) const {
    if (sleeper.minds_everybody || event.depends_on_everybody()) return true;
    for (const graph::ObjectAccess& a : graph_->recording.accesses(event)) {
      for (const graph::ObjectAccess& b : sleeper.accesses) {
        if (a.object == b.object && (a.writes || b.writes)) return true;
      }
    }
    return false;
  }

  std::unique_ptr<Graph> graph_;
  std::vector<Sleeper> asleep_;
  std::size_t seen_ = 0;  ///< number of the graph's events that wake() has processed
  bool has_guards_ = false;
  bool misses_leaks_ = false;
};

}  // namespace hocket
