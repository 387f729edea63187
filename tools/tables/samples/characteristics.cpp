// How large the samples are: the most that was seen of everything in many executions.
#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "scheduler/api/number_text.hpp"
#include "scheduler/api/options.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tools/tables/measure/executions.hpp"
#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/measure/waits.hpp"
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
choices of the execution cost. "Paper": Table 1 of *Iterative Context Bounding for Systematic Testing of
Multithreaded Programs*, where blocking instructions are B.

)";

namespace runtime = hocket::runtime;

/// Musuvathi and Qadeer, Iterative Context Bounding for Systematic Testing of Multithreaded Programs, 2007,
/// Table 1.
struct PaperCharacteristics {
  std::string_view program;  ///< what the names of its samples begin with
  std::array<const char*, 4> threads_steps_blocking_preemptions;
};
constexpr std::array<PaperCharacteristics, 5> kPaper{{
    {"Bluetooth", {"3", "15", "2", "8"}},
    {"file system", {"4", "20", "8", "13"}},
    {"work-stealing queue", {"3", "99", "2", "35"}},
    {"asynchronous processing environment", {"4", "247", "2", "75"}},
    {"channel", {"5", "273", "4", "167"}},
}};

struct Characteristics {
  std::uint64_t executions = 0;
  unsigned threads = 0;
  unsigned steps = 0;
  unsigned may_wait = 0;
  unsigned had_to_wait = 0;
  unsigned preemptions = 0;
};

void look_at(const samples::SampleProgram& program, hocket::Strategy& strategy, double seconds,
    Characteristics& most) {
  measure::WaitCounter waits;
  const Deadline deadline(seconds);
  measure::visit_executions(program.body, strategy, waits, [&](const runtime::ExecutionResult& run) {
    ++most.executions;
    most.threads = std::max(most.threads, run.threads);
    most.steps = std::max(most.steps, run.log.size);
    most.may_wait = std::max(most.may_wait, waits.may_wait());
    most.had_to_wait = std::max(most.had_to_wait, waits.had_to_wait());
    most.preemptions = std::max(most.preemptions, measure::preemptions_of(run.log));
    return !deadline.is_over();
  });
}

Characteristics characteristics_of(const samples::SampleProgram& program, double seconds) {
  Characteristics most;
  constexpr std::array<const char*, 3> kStrategies{"icb", "dfs", "random"};
  const double share = seconds / (kStrategies.size() + 1);
  for (const char* name : kStrategies) {
    hocket::Options options;
    options.strategy = name;
    options.max_preemptions = hocket::unbounded;
    look_at(program, *hocket::make_strategy(options), share, most);
  }
  Contrary contrary;
  look_at(program, contrary, share, most);
  return most;
}

}  // namespace

void print_characteristics(const Request& request, std::ostream& out) {
  out << kIntroduction;
  measure::MarkdownTable table({"program", "threads", "steps", "may wait", "had to wait", "preemptions",
      "executions", "paper: threads", "paper: steps", "paper: blocking", "paper: preemptions"});
  for (const samples::SampleProgram& program : request.programs) {
    const Characteristics most = characteristics_of(program, request.seconds);
    std::vector<std::string> row{program.name};
    for (const std::uint64_t number :
        {std::uint64_t{most.threads}, std::uint64_t{most.steps}, std::uint64_t{most.may_wait},
            std::uint64_t{most.had_to_wait}, std::uint64_t{most.preemptions}, most.executions}) {
      row.push_back(hocket::number_text(number));
    }
    for (const PaperCharacteristics& paper : kPaper) {
      if (!program.name.starts_with(paper.program)) continue;
      row.insert(row.end(), paper.threads_steps_blocking_preemptions.begin(),
          paper.threads_steps_blocking_preemptions.end());
    }
    table.add(row);
  }
  out << table;
}

}  // namespace tables
