// What a search does before and after each execution.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "../../runtime/execution/execution.hpp"
#include "../deaths/supervised_search.hpp"
#include "../replays/replay.hpp"
#include "../report/search_log.hpp"
#include "../strategies/executions.hpp"
#include "determinism.hpp"
#include "idle_turns.hpp"
#include "search.hpp"

namespace hocket {

/// What the search does at each execution of one strategy. Its data is discarded together with that strategy.
class Search::Visitor final : public ExecutionVisitor {
 public:
  explicit Visitor(Search& search) : search_(search), strategy_(*search.strategy_) {}

  bool prepared() {
    if (search_.is_over()) {
      // What another job has found stops a shard as it comes to a bound, with all below done.
      if (search_.options_.shard && strategy_.bound() != bound_) begin_bound();
      not_run_ = strategy_.is_sampling() ? 0 : 1;
      return false;
    }
    SupervisedSearch::note(search_.report_);
    if (strategy_.bound() == bound_) return true;
    needs_new_strategy_ = !search_.cut_short_rightly();
    if (needs_new_strategy_) return false;
    begin_bound();
    return true;
  }

  bool ran(const runtime::ExecutionResult& result) {
    const bool goes_on = took(result);
    if (needs_new_strategy_ && search_.is_job())
      search_.anew_after_ = {codes_of(result.log), bound_, search_.report_.executions};
    return goes_on;
  }

  bool learned(const runtime::ExecutionResult& result) {
    if (!took_in(result)) return false;
    if (!search_.may_split_ || !search_.lasts()) [[likely]]
      return true;
    has_split_ = search_.split() && !search_.shares_work();
    return !has_split_;
  }

  void diverged(const runtime::ExecutionResult& result) {
    explain_divergence(search_.exploration_, strategy_, codes_of(result.log));
  }

  /// Whether the results so far must be discarded and the search must start over with a new strategy.
  [[nodiscard]] bool needs_new_strategy() const { return needs_new_strategy_; }
  /// Whether the search has been split, and has ended here or begins with a part of it.
  [[nodiscard]] bool has_split() const { return has_split_; }
  /// The number of executions that the strategy prepared and that were not run.
  [[nodiscard]] std::uint64_t not_run() const { return not_run_; }

 private:
  bool took_in(const runtime::ExecutionResult& result) {
    if (search_.is_job() && search_.is_behind_first_failure()) [[unlikely]]
      return false;
    if (result.outcome == runtime::Outcome::failed) {
      const bool goes_on = search_.take_failure(result, strategy_.bound());
      // What comes after the race was not run yet. A sample does without.
      needs_new_strategy_ = goes_on && search_.knows_new_race_ && !strategy_.is_sampling();
      if (needs_new_strategy_ && search_.is_job()) search_.anew_after_ = search_.found_.back();
      if (needs_new_strategy_)
        search_log::begins_anew(search_.exploration_, "executions go on past the data race that was found");
      return goes_on && !needs_new_strategy_;
    }
    if (result.outcome != runtime::Outcome::completed) return true;
    const std::uint32_t nth = search_.met_.completed++;
    if (nth % kRepeatEvery == 0 &&
        !recurs(search_.exploration_, result, nth == 0 ? &search_.met_.lock_orders : nullptr))
      return false;
    if (search_.options_.fair || !idle_turns_.never_end(search_.exploration_, result)) return true;
    needs_new_strategy_ = search_.switch_to_fair();
    return false;
  }

  bool took(const runtime::ExecutionResult& result) {
    if (result.outcome == runtime::Outcome::interrupted) return prepared();
    if (result.left_out_unfair || result.left_out_sealed || result.priced_yield || result.held_late_waits)
      search_.account_for_notes(result);
    if (Search::take_found_overlaps()) {
      search_.note_overlaps();
      needs_new_strategy_ = true;
      return false;
    }
    if (runtime::execution.actions.has_met_weaker_order() && search_.meets_weaker_order()) {
      needs_new_strategy_ = true;
      return false;
    }
    if (runtime::Retries::have_found()) {
      search_.take_found_retries();
      needs_new_strategy_ = true;
      return false;
    }
    if (result.outcome == runtime::Outcome::unfair && !search_.options_.fair) {
      needs_new_strategy_ = search_.switch_to_fair();
      return false;
    }
    search_.account(result);
    return true;
  }

  /// Called when the strategy reaches a new bound: everything below it is done.
  void begin_bound() {
    const Clock::time_point begun = std::exchange(search_.bound_begun_, Clock::now());
    const double seconds = std::chrono::duration<double>(search_.bound_begun_ - search_.begin_).count();
    const double of_bound = std::chrono::duration<double>(search_.bound_begun_ - begun).count();
    for (; bound_ < strategy_.bound(); ++bound_) {
      search_.bound_report(bound_).complete = true;
      search_log::bound_is_done(search_.exploration_, bound_, of_bound);
      if (!search_.is_job())
        search_.progress_.bound_done(search_.report_, bound_, strategy_.pending().items, seconds);
    }
  }

  using Clock = std::chrono::steady_clock;

  /// The first of every kRepeatEvery executions is run twice. So a body that keeps state from one execution
  /// to the next is detected at once, however short the search is.
  static constexpr std::uint32_t kRepeatEvery = 1000;

  Search& search_;
  Strategy& strategy_;
  IdleTurns idle_turns_;
  unsigned bound_ = 0;
  std::uint64_t not_run_ = 0;
  bool needs_new_strategy_ = false;
  bool has_split_ = false;
};

}  // namespace hocket
