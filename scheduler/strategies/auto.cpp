// The default strategy: icb as far as it must, reductions as far as they help, decided by what it measures.
//
// It begins as hb-cache, and decides after every so many executions. Where hardly any of them has met a state
// that it had been in before, remembering states does not pay, and the bound is searched by icb. Where nearly
// all have, steps commute, and it is likely that icb-por covers the bound in fewer executions. But icb-por
// has no memory of states, and treats sleeps, time-outs and the like as conflicts with everything. So the two
// take turns from then on, each as much work as the other, until one has covered the bound. That costs at
// most twice what the better of the two takes.
//
// In code that is not instrumented threads may share something that Hocket does not see. Then an order of
// independent steps may matter. So auto runs all of them in small searches, and checks what icb-por leaves
// out by random executions within the bound: each must end in a class that icb-por has met as well.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/execution/execution.hpp"
#include "decisions.hpp"
#include "hb_cache.hpp"
#include "persistent_set_search.hpp"
#include "probe.hpp"
#include "strategy.hpp"

namespace hocket {

constinit DecisionListener tell_of_decision = nullptr;

namespace {

/// The rules of hb-cache, which measure how much they save.
class MeasuringRules : public HbCacheRules {
 public:
  MeasuringRules(const Options& options, Trial trial, bool runs_first_all)
      : HbCacheRules(options), trial_(trial), cuts_short_(!runs_first_all) {}

  [[nodiscard]] bool watches_new() const { return is_on_; }

  void begin(unsigned bound, const std::function<bool()>& /*must_stop*/) {
    was_covered_ = false;
    if (bound == bound_) return;
    bound_ = bound;
    is_on_ = true;
    meets_mostly_known_ = false;
    if (cuts_short_) runs_ = covered_ = 0;
  }

  bool prunes(const runtime::ChoicePoint& point, unsigned bound, std::vector<Child>& children) {
    const bool is_covered = HbCacheRules::prunes(point, bound, children);
    was_covered_ |= is_covered;
    return is_covered && cuts_short_;
  }

  bool ended(const runtime::ExecutionResult& /*result*/) {
    if (!is_on_) return true;
    ++runs_;
    covered_ += was_covered_ ? 1 : 0;
    if (runs_ < trial_.executions) return true;
    if (covered_ * kLeastGain < runs_) {
      is_on_ = false;
      forget();
    }
    meets_mostly_known_ = cuts_short_ && (runs_ - covered_) * trial_.mostly_known <= runs_;
    cuts_short_ = true;
    runs_ = covered_ = 0;
    return true;
  }

  /// Whether nearly all executions of the last trial at this bound met a state that was covered.
  [[nodiscard]] bool meets_mostly_known() const { return meets_mostly_known_; }

 private:
  // If fewer than one in so many executions meet a covered state, remembering does not pay. Each bound gets
  // another trial, because executions with more preemptions have more in common.
  static constexpr unsigned kLeastGain = 64;

  Trial trial_;
  bool cuts_short_;
  bool is_on_ = true;
  bool meets_mostly_known_ = false;
  unsigned bound_ = 0;
  bool was_covered_ = false;  ///< the current execution has met a state that is covered
  unsigned runs_ = 0;         ///< executions since the last decision
  unsigned covered_ = 0;      ///< those of them that met such a state
};

class Auto final : public Strategy {
 public:
  Auto(const Options& options, Trial trial)
      : options_(options),
        trial_(trial),
        is_instrumented_(runtime::run.host != nullptr),
        by_states_(std::make_unique<StateSearch>(
            options.max_preemptions, MeasuringRules(options, trial, !is_instrumented_))),
        turn_(by_states_.get()),
        probe_(options.seed) {}

  bool next() override {
    is_probing_ = probes_next();
    if (is_probing_) {
      probe_.begin(bound_);
      return true;
    }
    if (by_states_ != nullptr && by_contexts_ != nullptr && --left_of_turn_ == 0) take_turns();
    if (!turn_->next()) return false;
    if (turn_->bound() > bound_) {  // the bound is covered, whatever the other one has done
      bound_ = turn_->bound();
      probes_left_ = kFirstProbes;
      if (tell_of_decision != nullptr && by_states_ != nullptr && by_contexts_ != nullptr) {
        tell_of_decision(fmt::format("auto: {} was first to come to bound {}, and goes on alone",
            turn_ == by_states_.get() ? "hb-cache" : "icb-por", bound_));
      }
      if (turn_ == by_states_.get()) {
        by_contexts_.reset();
      } else {
        by_states_.reset();
      }
    }
    return true;
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (is_probing_) return result.outcome != runtime::Outcome::diverged;
    add_work(result.log.size + kFixedWork);
    if (!turn_->finished(result)) return false;
    const bool can_reduce = options_.memory_model != MemoryModel::c11;
    if (can_reduce && by_contexts_ == nullptr && by_states_->rules().meets_mostly_known()) {
      const unsigned skipped = runtime::is_sabotaged(runtime::Sabotage::auto_skips_a_bound) ? 1 : 0;
      by_contexts_ = make_persistent_set_search(options_, Moves::contexts, bound_ + skipped);
      work_by_states_ = work_by_contexts_ = 0;
      left_of_turn_ = 1;
      probes_left_ = kFirstProbes;
      if (tell_of_decision != nullptr) {
        tell_of_decision(fmt::format(
            "auto: at bound {} most executions meet known states, so icb-por takes turns with hb-cache",
            bound_));
      }
    }
    return true;
  }

  runtime::Chooser& chooser() override {
    if (is_probing_) return probe_;
    return *turn_;
  }
  runtime::Code choose(const runtime::ChoicePoint& point) override { return chooser().choose(point); }
  runtime::Observer* observer() override { return is_probing_ ? nullptr : turn_->observer(); }

  [[nodiscard]] unsigned bound() const override { return bound_; }
  [[nodiscard]] bool is_probe() const override { return is_probing_; }
  [[nodiscard]] std::vector<Deviation> deviations() const override { return turn_->deviations(); }
  [[nodiscard]] PendingWork pending() const override {
    PendingWork work = turn_->pending();
    for (const Strategy* strategy : {static_cast<Strategy*>(by_states_.get()), by_contexts_.get()}) {
      if (strategy == nullptr || strategy == turn_) continue;
      const PendingWork other = strategy->pending();
      work.bytes += other.bytes;
      work.table_bytes += other.table_bytes;
    }
    return work;
  }
  [[nodiscard]] std::uint64_t pending_at_next_bound() const override {
    return turn_->pending_at_next_bound();
  }
  [[nodiscard]] std::optional<BoundEstimate> estimate() const override {
    return by_states_ != nullptr ? by_states_->estimate() : std::nullopt;
  }
  [[nodiscard]] bool left_out_any() const override { return turn_->left_out_any(); }
  [[nodiscard]] bool has_bounds() const override { return true; }
  [[nodiscard]] std::string note() const override { return turn_->note(); }

 private:
  using StateSearch = FrontierSearch<MeasuringRules>;

  // Of code that is not instrumented, as long as icb-por searches it, so many of the first executions of a
  // bound are probes, and after that one of so many.
  static constexpr unsigned kFirstProbes = 256;
  static constexpr unsigned kProbes = 8;

  static constexpr unsigned kFixedWork = 32;      ///< of an execution, in steps of hb-cache
  static constexpr unsigned kWorkOfContexts = 8;  ///< of a step of icb-por

  void add_work(std::uint64_t steps) {
    if (turn_ == by_states_.get()) {
      work_by_states_ += steps;
    } else {
      work_by_contexts_ += steps * kWorkOfContexts;
    }
  }

  void take_turns() {
    if (work_by_contexts_ <= work_by_states_) {
      turn_ = by_contexts_.get();
    } else {
      turn_ = by_states_.get();
    }
    left_of_turn_ = 1 + trial_.executions / kTurnsInTrial;
  }
  static constexpr unsigned kTurnsInTrial = 8;

  bool probes_next() {
    if (is_instrumented_ || turn_ != by_contexts_.get()) return false;
    if (probes_left_ != 0) return probes_left_-- != 0;
    return ++since_probe_ % kProbes == 0;
  }

  Options options_;
  Trial trial_;
  bool is_instrumented_;
  std::unique_ptr<StateSearch> by_states_;  ///< hb-cache, or nullptr if the other one was faster
  std::unique_ptr<Strategy> by_contexts_;   ///< icb-por, or nullptr
  Strategy* turn_;                          ///< the one of them that prepares executions
  Probe probe_;
  std::uint64_t work_by_states_ = 0;  ///< in steps, since there are both
  std::uint64_t work_by_contexts_ = 0;
  unsigned left_of_turn_ = 0;  ///< executions
  unsigned probes_left_ = 0;
  unsigned since_probe_ = 0;
  unsigned bound_ = 0;
  bool is_probing_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_auto(const Options& options) {
  return make_auto_with(options, Trial{});
}

std::unique_ptr<Strategy> make_auto_with(const Options& options, Trial trial) {
  if (options.fair) return make_icb(options);
  return std::make_unique<Auto>(options, trial);
}

}  // namespace hocket
