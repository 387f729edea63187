// How large the samples are: the most that was seen of everything in many executions.
#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "scheduler/api/number_text.hpp"
#include "scheduler/api/options.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tools/tables/measure/executions.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/contrary.hpp"
#include "tools/tables/samples/searching.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(The maximum over the executions of the correct programs; `icb`, `dfs`, `random` and a strategy that preempts
wherever it can share the time. Steps are choice points. A step may wait if its operation is a lock, an
acquire or the second half of a wait; it had to wait if its thread was not enabled at some choice point
between its stop before the step and the step. Waiting in `join` is not a step. Preemptions are what the
choices of the execution cost.

)";

namespace runtime = hocket::runtime;

void look_at(const samples::SampleProgram& program, hocket::Strategy& strategy, double seconds,
    std::uint64_t executions, Characteristics& most) {
  measure::WaitCounter waits;
  const Deadline deadline(seconds);
  const std::uint64_t before = most.executions;
  measure::visit_executions(program.body, strategy, waits, [&](const runtime::ExecutionResult& run) {
    ++most.executions;
    most.threads = std::max(most.threads, run.threads);
    most.steps = std::max(most.steps, run.log.size);
    most.may_wait = std::max(most.may_wait, waits.may_wait());
    most.had_to_wait = std::max(most.had_to_wait, waits.had_to_wait());
    most.preemptions = std::max(most.preemptions, measure::preemptions_of(run.log));
    return !deadline.is_over() && most.executions - before < executions;
  });
}

}  // namespace

Characteristics characteristics_of(
    const samples::SampleProgram& program, double seconds, std::uint64_t executions) {
  Characteristics most;
  constexpr std::array<const char*, 3> kStrategies{"icb", "dfs", "random"};
  const double share = seconds / (kStrategies.size() + 1);
  for (const char* name : kStrategies) {
    hocket::Options options;
    options.strategy = name;
    options.max_preemptions = hocket::unbounded;
    look_at(program, *hocket::make_strategy(options), share, executions, most);
  }
  Contrary contrary;
  look_at(program, contrary, share, executions, most);
  return most;
}

void print_characteristics(const Request& request, std::ostream& out) {
  out << kIntroduction;
  measure::MarkdownTable table(
      {"program", "threads", "steps", "may wait", "had to wait", "preemptions", "executions"});
  for (const samples::SampleProgram& program : request.programs) {
    const Characteristics most = characteristics_of(program, request.seconds);
    std::vector<std::string> row{program.name};
    for (const std::uint64_t number :
        {std::uint64_t{most.threads}, std::uint64_t{most.steps}, std::uint64_t{most.may_wait},
            std::uint64_t{most.had_to_wait}, std::uint64_t{most.preemptions}, most.executions}) {
      row.push_back(hocket::number_text(number));
    }
    table.add(row);
  }
  out << table;
}

}  // namespace tables
