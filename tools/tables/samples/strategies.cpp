// How many executions strategies run until they find the bugs of the samples and those of small programs.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"
#include "scheduler/api/number_text.hpp"
#include "scheduler/api/options.hpp"
#include "scheduler/api/report.hpp"
#include "scheduler/process/search_guards.hpp"
#include "scheduler/search/search.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tools/tables/measure/markdown.hpp"
#include "tools/tables/samples/tables.hpp"

namespace tables {

namespace {

constexpr const char* kIntroduction =
    R"(Executions up to and including the first failing one, without a last bound. A dash: none of 100 000 fails. Of a
strategy that samples it is the median over the seeds 1 to 20, where a search that finds nothing counts as the
longest; in brackets: how many of the searches have found the bug, if not all.

)";

constexpr std::uint64_t kMost = 100'000;
constexpr std::uint64_t kSeeds = 20;
constexpr std::array kStrategies{"icb", "auto", "delay", "dpor", "best-first", "mix", "pct", "pos", "urw"};

/// More than kMost if there is no such execution among so many.
std::uint64_t executions_until_failure(const hocket::Options& options, const std::function<void()>& body) {
  const hocket::Report report = hocket::Search("a program", body, options).run();
  if (report.stopped_by == "Ctrl-C") throw std::runtime_error("stopped by Ctrl-C");
  if (report.verdict == hocket::Verdict::nondeterministic) throw std::runtime_error(report.explanation);
  return report.failed() ? report.executions : kMost + 1;
}

std::string executions_with(const std::string& strategy, const std::function<void()>& body) {
  hocket::Options options;
  options.strategy = strategy;
  options.max_preemptions = hocket::unbounded;
  options.max_executions = kMost;
  options.minimize = std::chrono::nanoseconds(0);
  options.try_saved = false;
  options.save_schedules = false;
  const std::uint64_t seeds = hocket::make_strategy(options)->is_sampling() ? kSeeds : 1;
  std::vector<std::uint64_t> executions;
  for (options.seed = 1; options.seed <= seeds; ++options.seed)
    executions.push_back(executions_until_failure(options, body));
  std::sort(executions.begin(), executions.end());
  const std::uint64_t median = executions[(executions.size() - 1) / 2];
  const auto found = std::count_if(
      executions.begin(), executions.end(), [](std::uint64_t number) { return number <= kMost; });
  std::string text = median > kMost ? "–" : hocket::number_text(median);
  if (found != 0 && static_cast<std::uint64_t>(found) != seeds) text += " (" + std::to_string(found) + ")";
  return text;
}

}  // namespace

void print_strategies(const Request& request, std::ostream& out) {
  std::vector<std::string> header{"program", "bug"};
  header.insert(header.end(), kStrategies.begin(), kStrategies.end());
  measure::MarkdownTable table(header, 2);
  const auto add = [&](const std::string& program, const std::string& bug,
                       const std::function<void()>& body) {
    std::vector<std::string> row{program, bug};
    for (const char* strategy : kStrategies) row.push_back(executions_with(strategy, body));
    table.add(row);
  };
  for (const samples::SampleProgram& program : request.programs) {
    for (const samples::Seeded& bug : program.bugs) add(program.name, bug.name, bug.body);
  }
  if (request.small_bugs) {
    for (const SmallBug& bug : small_bugs()) add("small programs", bug.name, bug.body);
  }
  out << kIntroduction << table;
}

}  // namespace tables
