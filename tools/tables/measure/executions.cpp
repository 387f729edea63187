#include "tools/tables/measure/executions.hpp"

#include <stdexcept>

#include "scheduler/process/search_guards.hpp"
#include "scheduler/strategies/executions.hpp"

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

}  // namespace measure
