#include "trial_search.hpp"

#include <cstdint>
#include <memory>

#include "../process/interrupt.hpp"
#include "../strategies/executions.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

struct Visitor final : ExecutionVisitor {
  explicit Visitor(Clock::time_point until) : deadline(until) {}
  bool prepared() {
    constexpr std::uint64_t kMostExecutions = 20'000;
    is_stopped = runs++ == kMostExecutions || Clock::now() >= deadline || was_interrupted();
    return !is_stopped;
  }
  bool ran(const runtime::ExecutionResult& result) {
    has_failed = result.outcome != runtime::Outcome::completed &&
                 result.outcome != runtime::Outcome::pruned && result.outcome != runtime::Outcome::dropped;
    return !has_failed;
  }
  Clock::time_point deadline;
  std::uint64_t runs = 0;
  bool is_stopped = false;
  bool has_failed = false;
};

}  // namespace

bool passes_in_full(const Exploration& exploration, runtime::ExecutionOptions rules, unsigned bound,
    Clock::time_point deadline) {
  if (rules.sealed_steps != nullptr) return false;  // which leave something out
  rules.passed_races = 0;                           // what went past a race did not pass
  Options options = exploration.options;
  options.strategy = "hb-cache";
  options.max_preemptions = bound;
  const std::unique_ptr<Strategy> strategy = make_strategy(options);
  const auto run = [&](runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) {
    return exploration.run(chooser, asked);
  };
  Visitor visitor(deadline);
  const ExecutionsEnd end = run_executions(*strategy, run, rules, visitor);
  return end == ExecutionsEnd::exhausted && !visitor.is_stopped && !visitor.has_failed;
}

}  // namespace hocket
