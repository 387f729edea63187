#include "tools/tables/measure/executions.hpp"

#include <memory>
#include <stdexcept>

#include "scheduler/api/options.hpp"
#include "scheduler/process/search_guards.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace measure {

using hocket::runtime::Execution;
using hocket::runtime::ExecutionResult;
using hocket::runtime::Outcome;

namespace {

class Visitor final : public hocket::ExecutionVisitor {
 public:
  explicit Visitor(const Visit& visit) : visit_(visit) {}

  bool ran(const ExecutionResult& result) {
    if (result.outcome == Outcome::failed) {
      throw std::runtime_error("a correct program has failed: " + Execution::failure().message);
    }
    goes_on_ = visit_(result);
    return true;
  }
  // The strategy is asked about the last execution, too: it sees whether the program is deterministic.
  [[nodiscard]] bool learned(const ExecutionResult&) const { return goes_on_; }

 private:
  const Visit& visit_;
  bool goes_on_ = true;
};

}  // namespace

bool visit_executions(const std::function<void()>& body, hocket::Strategy& strategy,
    hocket::runtime::Observer& observer, const Visit& visit) {
  const hocket::SearchGuard guard;
  hocket::runtime::ExecutionOptions options;
  options.observer = &observer;
  const hocket::ExecutionsEnd end = hocket::run_executions(strategy, body, options, Visitor(visit));
  if (end == hocket::ExecutionsEnd::diverged) throw std::runtime_error("the program is not deterministic");
  return end == hocket::ExecutionsEnd::exhausted;
}

unsigned preemptions_of(const hocket::runtime::ChoiceLog& log) {
  unsigned preemptions = 0;
  for (std::uint32_t n = 0; n < log.size; ++n) {
    const hocket::runtime::LogEntry& entry = log.entries[n];
    log.for_each_candidate(entry, [&](const hocket::runtime::Candidate& candidate) {
      if (candidate.code == entry.code) preemptions += candidate.price;
    });
  }
  return preemptions;
}

StatesByBound states_by_bound(const std::function<void()>& body, const std::string& strategy_name,
    const std::function<bool()>& goes_on) {
  hocket::Options options;
  options.strategy = strategy_name;
  options.max_preemptions = hocket::unbounded;
  const std::unique_ptr<hocket::Strategy> strategy = hocket::make_strategy(options);
  StateCounter states;
  StatesByBound result;
  result.is_complete =
      visit_executions(body, *strategy, states, [&](const hocket::runtime::ExecutionResult& run) {
        states.ended(run);
        const std::size_t bound = strategy->bound();
        if (result.within.size() <= bound) {
          result.within.resize(bound + 1, result.within.empty() ? 0 : result.within.back());
        }
        result.within[bound] = states.size();
        return goes_on();
      });
  return result;
}

using hocket::runtime::execution;

using hocket::runtime::Mode;
using hocket::runtime::run;
using hocket::runtime::Thread;

void WaitCounter::begin(const Thread&) {
  may_wait_ = 0;
  had_to_wait_ = 0;
  have_waited_.clear();
}

void WaitCounter::chose_thread(const Thread& chosen, Mode) {
  for (unsigned n = 0; n < execution.thread_count(); ++n) {
    const Thread& thread = execution.thread(n);
    const bool is_before_a_step = thread.state == Thread::State::stopped && thread.joins == nullptr;
    if (is_before_a_step && !run.enabled.contains(n)) have_waited_.insert(n);
  }
  const bool had_to = have_waited_.contains(chosen.index);
  had_to_wait_ += had_to ? 1 : 0;
  // The second half of a wait on an atomic has no operation of its own, but it begins with waiting.
  may_wait_ += had_to || hocket::runtime::may_wait(chosen.pending.operation) ? 1 : 0;
  have_waited_.erase(chosen.index);
}

}  // namespace measure
