#include "minimizer.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "../../runtime/execution/execution.hpp"
#include "../process/interrupt.hpp"
#include "../replays/replay.hpp"
#include "../strategies/executions.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;
using runtime::ExecutionResult;

class Minimizer {
 public:
  Minimizer(const Exploration& exploration, const runtime::ExecutionOptions& options,
      const runtime::Failure& failure, const MinimizeBudget& budget)
      : exploration_(exploration),
        options_(options),
        kind_(failure.kind),
        signature_(failure.signature),
        budget_(budget) {}

  std::optional<Minimum> run(const std::vector<std::uint16_t>& codes) {
    FollowCodes chooser(codes);
    if (is_over() || !fails(exploration_.run(chooser, options_), last_)) return {};
    take(last_);
    do shrink();
    while (find_below());
    best_.known_least = known_least();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool is_over() const { return Clock::now() >= budget_.deadline || was_interrupted(); }
  [[nodiscard]] std::uint64_t known_least() const { return std::max(budget_.known_least, searched_below_); }

  /// Whether an execution has failed in the way that is looked for. If so, `log` becomes its log.
  [[nodiscard]] bool fails(const ExecutionResult& result, ExecutionResult& failed) const {
    const runtime::Failure& failure = runtime::Execution::failure();
    const bool is_same = result.outcome == runtime::Outcome::failed && failure.kind == kind_ &&
                         failure.signature == signature_;
    if (is_same) failed = result;
    return is_same;
  }

  void take(const ExecutionResult& result) {
    std::tie(plan_, best_.effort) = plan_of(result.log);
    best_.codes = codes_of(result.log);
    best_.hash = result.hash;
  }

  /// Runs the body under `plan`. Takes what happened as the new plan if it fails with less effort.
  bool attempt(const Plan& plan) {
    if (is_over()) return false;
    FollowPlan chooser(plan);
    if (!fails(exploration_.run(chooser, options_), last_)) return false;
    if (plan_of(last_.log).second >= best_.effort) return false;
    take(last_);
    return true;
  }

  void shrink() {
    Effort before;
    do {
      before = best_.effort;
      take_back_in_groups();
      leave_the_end_to_the_default();
      leave_out_turns();
      make_values_smaller();
    } while (best_.effort < before && !is_over());
  }

  [[nodiscard]] std::vector<std::size_t> preemptions() const {
    std::vector<std::size_t> turns;
    for (std::size_t n = 1; n < plan_.turns.size(); ++n) {
      if (plan_.turns[n].preempts) turns.push_back(n);
    }
    return turns;
  }

  /// Takes back half of the preemptions at a time, then a quarter, and so on, as delta debugging does.
  void take_back_in_groups() {
    for (std::size_t size = preemptions().size(); size >= 1 && !is_over(); size /= 2) {
      std::vector<std::size_t> turns = preemptions();
      // From the last one on, so that those that are left keep their numbers if a group cannot be taken back.
      for (std::size_t end = turns.size(); end > 0 && !is_over();) {
        const std::size_t begin = end - std::min(end, size);
        Plan plan = plan_;
        for (std::size_t n = end; n-- > begin;) {
          if (turns[n] < plan.turns.size()) plan = plan.without_preemption(turns[n]);
        }
        end = begin;
        if (!attempt(plan)) continue;
        turns = preemptions();
        end = std::min(end, turns.size());
      }
    }
  }

  /// Leaves all turns to the default schedule after some turn: after an early one if that fails, too.
  void leave_the_end_to_the_default() {
    std::size_t most = plan_.turns.size();  // with so many turns it fails
    for (std::size_t least = 0; least < most && !is_over();) {
      const std::size_t middle = least + (most - least) / 2;
      if (attempt(plan_.beginning(middle))) {
        most = std::min(middle, plan_.turns.size());
      } else {
        least = middle + 1;
      }
    }
  }

  void leave_out_turns() {
    for (std::size_t n = plan_.turns.size(); n-- > 0 && !is_over();) {
      if (n >= plan_.turns.size()) continue;
      static_cast<void>(attempt(plan_.without_turn(n)) || (n > 0 && attempt(plan_.without_preemption(n))));
    }
  }

  void make_values_smaller() {
    const Plan original = plan_;
    for (const auto& [step, mode] : original.modes) {
      Plan plan = plan_;
      if (plan.modes.erase(step) != 0) attempt(plan);
    }
    for (const auto& [at, value] : original.values) {
      for (std::uint32_t smaller = 0; smaller < value; smaller = smaller + (value - smaller + 1) / 2) {
        Plan plan = plan_;
        const auto found = plan.values.find(at);
        if (found == plan.values.end()) break;
        if (smaller == 0) plan.values.erase(found);
        if (smaller != 0) found->second = smaller;
        if (attempt(plan) || is_over()) break;
      }
    }
  }

  /// Runs the schedules with fewer preemptions than the best one, those with the fewest first, until one
  /// fails in the same way. Returns whether one did.
  bool find_below() {
    if (best_.effort.price <= known_least() || is_over()) return false;
    class Visitor final : public ExecutionVisitor {
     public:
      explicit Visitor(Minimizer& minimizer) : minimizer_(minimizer) {}
      bool ran(const ExecutionResult& result) {
        has_found_ = minimizer_.fails(result, minimizer_.last_);
        if (has_found_) minimizer_.take(result);
        return !has_found_ && result.outcome != runtime::Outcome::unfair;
      }
      bool learned(const ExecutionResult& /*result*/) { return !minimizer_.is_over(); }
      [[nodiscard]] bool has_found() const { return has_found_; }

     private:
      Minimizer& minimizer_;
      bool has_found_ = false;
    } visitor(*this);

    Options options = exploration_.options;
    options.strategy = "icb";
    options.max_preemptions = static_cast<unsigned>(best_.effort.price) - 1;
    const std::unique_ptr<Strategy> strategy = make_strategy(options);
    strategy->must_stop = [this] { return is_over(); };
    const auto run = [this](runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) {
      return exploration_.run(chooser, asked);
    };
    const ExecutionsEnd end = run_executions(*strategy, run, options_, visitor);
    const bool is_all = visitor.has_found() || end == ExecutionsEnd::exhausted;
    searched_below_ = is_all ? best_.effort.price : strategy->bound();
    return visitor.has_found();
  }

  const Exploration& exploration_;
  const runtime::ExecutionOptions options_;
  runtime::FailureKind kind_;
  std::uint64_t signature_;
  MinimizeBudget budget_;
  std::uint64_t searched_below_ = 0;  ///< every schedule with fewer preemptions was run
  ExecutionResult last_;              ///< the last execution that failed in this way
  Plan plan_;                         ///< of best_
  Minimum best_;
};

}  // namespace

std::optional<Minimum> minimize(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure, const std::vector<std::uint16_t>& codes, const MinimizeBudget& budget) {
  return Minimizer(exploration, options, failure, budget).run(codes);
}

}  // namespace hocket
