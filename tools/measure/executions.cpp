#include "tools/measure/executions.hpp"

#include <stdexcept>

#include "scheduler/process/search_guards.hpp"

namespace measure {

using hocket::runtime::execution;
using hocket::runtime::ExecutionResult;
using hocket::runtime::Outcome;

bool run_executions(const std::function<void()>& body, hocket::Strategy& strategy,
    hocket::runtime::Observer& observer, const Visit& visit) {
  const hocket::SearchGuard guard;
  hocket::runtime::ExecutionOptions options;
  options.observer = &observer;
  while (strategy.next()) {
    const ExecutionResult result = execution.run(body, strategy, options);
    if (result.outcome == Outcome::failed) {
      throw std::runtime_error("a correct program has failed: " + execution.failure().message);
    }
    const bool goes_on = visit(result);
    if (!strategy.finished(result)) throw std::runtime_error("the program is not deterministic");
    if (!goes_on) return false;
  }
  return true;
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

}  // namespace measure
