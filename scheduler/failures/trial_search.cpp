#include "trial_search.hpp"

#include <chrono>
#include <cstdint>
#include <memory>

#include "../../runtime/execution/execution.hpp"
#include "../process/interrupt.hpp"
#include "../strategies/executions.hpp"
#include "../strategies/strategy.hpp"
#include "minimizer.hpp"

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

namespace {

using runtime::FailureKind;

constexpr unsigned kMostTried = 10;
constexpr unsigned kLeast = 3;
constexpr std::chrono::milliseconds kTime(300);

/// Whether executions that fail in this way tell that order has nothing to do with it, and leave the process
/// as it is. A race is found whatever the order of its accesses is.
bool may_be_repeated(FailureKind kind, bool is_in_child) {
  switch (kind) {
    case FailureKind::data_race:
    case FailureKind::stuck:
      return false;
    case FailureKind::signal:
    case FailureKind::stack_overflow:
    case FailureKind::exit:
      return is_in_child;
    default:
      return true;
  }
}

}  // namespace

unsigned schedules_that_all_fail(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure) {
  if (!may_be_repeated(failure.kind, options.own_process)) return 0;
  const FailureKind kind = failure.kind;
  const std::uint64_t signature = failure.signature;
  class Visitor final : public ExecutionVisitor {
   public:
    Visitor(FailureKind kind, std::uint64_t signature, std::chrono::steady_clock::time_point deadline)
        : kind_(kind), signature_(signature), deadline_(deadline) {}
    bool ran(const runtime::ExecutionResult& result) {
      const runtime::Failure& found = runtime::Execution::failure();
      has_other_end_ =
          result.outcome != runtime::Outcome::failed || found.kind != kind_ || found.signature != signature_;
      failed_ += has_other_end_ ? 0 : 1;
      const bool is_over = std::chrono::steady_clock::now() >= deadline_ || was_interrupted();
      return !has_other_end_ && !is_over && failed_ < kMostTried;
    }
    [[nodiscard]] unsigned failed() const { return has_other_end_ ? 0 : failed_; }

   private:
    FailureKind kind_;
    std::uint64_t signature_;
    std::chrono::steady_clock::time_point deadline_;
    unsigned failed_ = 0;
    bool has_other_end_ = false;
  } visitor(kind, signature, exploration.end_after(kTime));

  Options random = exploration.options;
  random.strategy = "random";
  const std::unique_ptr<Strategy> strategy = make_strategy(random);
  const auto run = [&](runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) {
    return exploration.run(chooser, asked);
  };
  static_cast<void>(run_executions(*strategy, run, options, visitor));
  return visitor.failed() >= kLeast ? visitor.failed() + 1 : 0;
}

}  // namespace hocket
