#include "determinism.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/diagnosis/trace.hpp"
#include "../../runtime/terms/operation.hpp"
#include "../api/number_text.hpp"
#include "../replays/replay.hpp"
#include "lock_orders.hpp"

namespace hocket {

namespace {

std::string in_words(const runtime::Trace& trace, std::size_t step) {
  if (step >= trace.choices().size()) return "nothing: it has ended";
  const runtime::RecordedChoice& choice = trace.choices()[step];
  std::string text = trace.threads()[choice.thread].label + ": " + std::string(to_string(choice.operation));
  if (!choice.object.empty()) text += " " + choice.object;
  if (!choice.where.empty()) text += " at " + choice.where;
  return text;
}

bool same_step(const runtime::RecordedChoice& a, const runtime::RecordedChoice& b) {
  return a.is_value == b.is_value && a.thread == b.thread && a.operation == b.operation &&
         a.object == b.object && a.count == b.count && a.where == b.where;
}

/// One sentence without a full stop that says at which of the first `until` steps two runs under the same
/// schedule diverged; empty if they did not.
std::string parting(const runtime::Trace& one, const runtime::Trace& other, std::size_t until) {
  for (std::size_t step = 0; step < until; ++step) {
    const bool one_goes_on = step < one.choices().size();
    const bool other_goes_on = step < other.choices().size();
    if (!one_goes_on && !other_goes_on) break;
    if (one_goes_on && other_goes_on && same_step(one.choices()[step], other.choices()[step])) continue;
    return fmt::format(R"(under the same schedule, step {} was once "{}" and once "{}")", step + 1,
        in_words(one, step), in_words(other, step));
  }
  return {};
}

void record(const Exploration& exploration, runtime::Chooser& chooser, runtime::Trace& trace) {
  runtime::ExecutionOptions options = exploration.execution_options();
  options.trace = &trace;
  exploration.run(chooser, options);
}

}  // namespace

bool recurs(Exploration& exploration, const runtime::ExecutionResult& result, LockOrders* orders) {
  const std::vector<std::uint16_t> codes = codes_of(result.log);
  const runtime::ClassHash hash = result.hash;
  const runtime::Outcome outcome = result.outcome;
  FollowCodes chooser(codes);
  runtime::ExecutionOptions options = exploration.execution_options();
  options.notes_callers = orders != nullptr;
  options.observer = orders;
  const runtime::ExecutionResult again = exploration.run(chooser, options);
  if (again.outcome == outcome && again.hash == hash && again.log.size == codes.size()) return true;

  Report& report = exploration.report;
  report.verdict = Verdict::nondeterministic;
  report.explanation =
      fmt::format("execution {} took a different path when it was run again under the same schedule",
          number_text(report.executions));
  // The behavior of the first run is not known any more, but most bodies diverge again.
  runtime::Trace one;
  runtime::Trace other;
  record(exploration, chooser, one);
  record(exploration, chooser, other);
  const std::string where = parting(one, other, std::max(one.choices().size(), other.choices().size()));
  if (!where.empty()) report.explanation += "; run twice more, " + where;
  return false;
}

void explain_divergence(
    Exploration& exploration, const Strategy& strategy, const std::vector<std::uint16_t>& codes) {
  Report& report = exploration.report;
  report.verdict = Verdict::nondeterministic;
  std::vector<Deviation> deviations = strategy.deviations();
  if (!deviations.empty()) {
    const std::size_t branch = deviations.back().position;
    FollowDeviations child_chooser(deviations);
    deviations.pop_back();
    FollowDeviations parent_chooser(std::move(deviations));
    runtime::Trace parent;
    runtime::Trace child;
    record(exploration, parent_chooser, parent);
    record(exploration, child_chooser, child);
    report.explanation = parting(parent, child, branch);
  }
  if (report.explanation.empty()) {  // then make the same choices twice
    FollowCodes chooser(codes);
    runtime::Trace one;
    runtime::Trace other;
    record(exploration, chooser, one);
    record(exploration, chooser, other);
    report.explanation = parting(one, other, runtime::kMaxPositions);
  }
  if (report.explanation.empty()) {
    report.explanation = fmt::format(
        "at step {} the same operations led to a different state than before, which did not happen again "
        "when the schedule was repeated. Perhaps the threads share something that is not a hocket:: type",
        codes.size() + 1);
  }
}

}  // namespace hocket
