#include <hocket/scheduler/determinism.hpp>

#include <string>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <hocket/runtime/operation.hpp>
#include <hocket/runtime/trace.hpp>
#include <hocket/scheduler/progress.hpp>
#include <hocket/scheduler/replay.hpp>

namespace hocket {

namespace {

std::string in_words(const runtime::Trace& trace, std::size_t step) {
  if (step >= trace.choices().size()) return "nothing: it has ended";
  const runtime::Trace::Choice& choice = trace.choices()[step];
  std::string text = trace.threads()[choice.thread].label + ": " + std::string(to_string(choice.operation));
  if (!choice.object.empty()) text += " " + choice.object;
  if (!choice.where.empty()) text += " at " + choice.where;
  return text;
}

bool same_step(const runtime::Trace::Choice& a, const runtime::Trace::Choice& b) {
  return a.is_value == b.is_value && a.thread == b.thread && a.operation == b.operation &&
         a.object == b.object && a.count == b.count && a.where == b.where;
}

}  // namespace

bool recurs(Exploration& exploration, const runtime::ExecutionResult& result) {
  Report& report = exploration.report;
  const std::vector<std::uint16_t> codes = codes_of(result.log);
  FollowCodes chooser(codes);
  const runtime::ClassHash hash = result.hash;
  const runtime::Outcome outcome = result.outcome;
  const runtime::ExecutionResult again =
      runtime::execution.run(exploration.body, chooser, exploration.execution_options());
  if (again.outcome == outcome && again.hash == hash && again.log.size == codes.size()) return true;
  report.verdict = Verdict::nondeterministic;
  report.explanation =
      fmt::format("execution {} went another way when it was run again under the same schedule",
          number_text(report.executions));
  return false;
}

void explain_divergence(Exploration& exploration, const Strategy& strategy) {
  Report& report = exploration.report;
  report.verdict = Verdict::nondeterministic;
  const std::vector<Deviation> deviations = strategy.deviations();
  runtime::ExecutionOptions options = exploration.execution_options();
  const auto record = [&](std::vector<Deviation> path, runtime::Trace& trace) {
    FollowDeviations chooser(std::move(path));
    options.trace = &trace;
    runtime::execution.run(exploration.body, chooser, options);
  };
  std::vector<Deviation> parents = deviations;
  if (!parents.empty()) parents.pop_back();
  runtime::Trace parent;
  runtime::Trace child;
  record(parents, parent);
  record(deviations, child);
  const std::size_t until = deviations.empty() ? parent.choices().size() : deviations.back().position;
  for (std::size_t step = 0; step < until; ++step) {
    const bool both = step < parent.choices().size() && step < child.choices().size();
    if (both && same_step(parent.choices()[step], child.choices()[step])) continue;
    if (step >= parent.choices().size() && step >= child.choices().size()) break;
    report.explanation = fmt::format("under the same schedule, step {} was once \"{}\" and once \"{}\"",
        step + 1, in_words(parent, step), in_words(child, step));
    return;
  }
  report.explanation =
      fmt::format("a schedule did not lead to its step {} again; run again, it does", until + 1);
}

}  // namespace hocket
