// Executions after a search in which threads that take locks in different orders wait for each other.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/execution/retries.hpp"
#include "../api/bound_text.hpp"
#include "../failures/failures.hpp"
#include "../process/interrupt.hpp"
#include "../replays/replay.hpp"
#include "lock_orders.hpp"
#include "search.hpp"

namespace hocket {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void Search::follow_lock_orders() {
  const bool may_be_more = report_.failures.empty() && report_.verdict != Verdict::passed_exhaustively &&
                           report_.verdict != Verdict::nondeterministic;
  // What a shard finds others must be able to find, a seal forbids preemptions, and delays are no
  // preemptions.
  if (!may_be_more || options_.shard || !exploration_.seals->empty() ||
      strategy_->bound_unit() != "preemption" || !options_.detect.contains(runtime::Detector::lock_orders))
    return;
  constexpr double kShare = 0.1;  // of the time of the search
  constexpr double kLeast = 0.1;  // seconds
  double left = std::max(kLeast, kShare * std::chrono::duration<double>(Clock::now() - begin_).count());
  for (const LockOrders::Cycle& cycle : met_.lock_orders.cycles()) {
    for (std::size_t first = 0; first < cycle.size(); ++first) {
      if (was_interrupted() || left <= 0 || report_.verdict == Verdict::nondeterministic) return;
      const std::clock_t begun = std::clock();  // a busy machine changes nothing
      const bool has_failed = follow(cycle, first);
      if (has_failed && !options_.keep_going && !report_.failures.empty()) return;
      if (has_failed) break;
      left -= static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    }
  }
}

bool Search::follow(const LockOrders::Cycle& cycle, std::size_t first) {
  // Where executions may have very many steps, this one has to do with the usual number.
  const std::uint32_t usual = std::max(runtime::ExecutionRules{}.max_steps, 2 * met_.lock_orders.steps());
  runtime::ExecutionOptions options = exploration_.interruptible_options();
  const bool is_limited = usual < options.max_steps;
  options.max_steps = std::min(options.max_steps, usual);
  const auto run = [&] {
    HoldsBack chooser(cycle, first);
    return exploration_.run(chooser, options);
  };
  runtime::ExecutionResult result = run();
  if (take_found_overlaps()) result = run();
  const bool retries = !runtime::Retries::take_found().empty();  // it would be another execution then
  if (result.outcome != runtime::Outcome::failed || retries || (is_limited && result.log.size >= usual))
    return false;
  const std::size_t known = report_.failures.size();
  ++report_.executions;
  record_failure(exploration_, codes_of(result.log), result.hash, minimize_budget(completed_bounds(report_)));
  if (report_.failures.size() == known) {  // it is known or suppressed
    --report_.executions;
    return true;
  }
  report_.failed_classes += met_.classes.insert(result.hash, false) ? 1 : 0;
  if (known == 0) {
    add_note(
        "the failure is not one of a schedule that was searched, but of one more, in which threads that take "
        "locks in different orders do so at the same time (--hocket_detect=-lock-orders switches that off)");
  }
  return true;
}

}  // namespace hocket
