#include "jobs.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include <sched.h>

#include <spdlog/fmt/fmt.h>

#include "runtime/terms/english.hpp"
#include "scheduler/search/other_jobs.hpp"
#include "scheduler/search/settings.hpp"
#include "scheduler/strategies/strategy.hpp"
#include "scheduler/strategies/strategy_table.hpp"

#include "child_report.hpp"
#include "parts.hpp"
#include "tell.hpp"
#include "temporary_folder.hpp"
#include "whole_verdict.hpp"

namespace hocket::tool {

namespace {

/// Refuses what several processes cannot do together. `options`: of a program that sets none itself.
void check_for_jobs(const Options& options, unsigned count) {
  if (options.shard)
    throw UsageError("--jobs splits each search into shards itself; leave out --shard, or --jobs");
  check_that_it_can_be_split(options, fmt::format("among {} jobs", count), "--jobs");
  if (options.show_output) throw UsageError("--show-output is of one process; leave out --jobs");
  if (options.max_executions != 0 && options.max_executions < count)
    throw UsageError(fmt::format("{} cannot be divided among {} jobs; ask for fewer with --jobs",
        runtime::count_of(options.max_executions, "execution"), count));
  if (options.strategy == "auto")
    tell(fmt::format(
        "{} jobs search with icb, which can take longer than the default strategy with one job", count));
}

/// Two jobs have about equal halves. Of more some have twice as much to do as others, unless they take
/// smaller parts in turn; the largest part is then what they wait for, and still smaller ones change little.
unsigned usual_parts_of(unsigned jobs) {
  constexpr unsigned kPartsOfJob = 4;
  return jobs <= 2 ? jobs : kPartsOfJob * jobs;
}

/// Into how many parts jobs split a search. `options`: of a program that sets none itself.
unsigned count_of_parts(const RunCommand& command, const Options& options, unsigned jobs) {
  // A limit holds for each part, so that parts which run in turn would have more than was asked for.
  const bool has_limit = options.time_limit.count() != 0 || options.max_executions != 0 ||
                         settings().all_tests || is_sampling(options);
  if (!has_limit) return command.parts != 0 ? command.parts : usual_parts_of(jobs);
  if (command.parts != 0)
    throw UsageError(
        "--parts splits a search that ends by itself; leave it out, or limits and strategies that sample");
  return jobs;
}

}  // namespace

unsigned count_of_jobs(const std::string& text) {
  unsigned count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && count <= kMostPrograms;
  if (text != "auto" && !is_number)
    throw UsageError(fmt::format(
        "--jobs: \"{}\" is not a number of jobs; give a number from 0 to {}, or auto", text, kMostPrograms));
  if (count != 0) return count;
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&cores));
}

void check_that_it_can_be_split(const Options& options, const std::string& into, const std::string& unless) {
  if (strategy_info(options.strategy).can_be_split) return;
  throw UsageError(fmt::format("a search with {} cannot be split {}; with {} it can, or leave out {}",
      options.strategy, into, names_of_strategies_for_shards(), unless));
}

bool is_sampling(const Options& options) {
  return strategy_info(options.strategy).make(options)->is_sampling();
}

int run_jobs(const RunCommand& command, unsigned jobs) {
  const Options options = with_settings({});
  check(options);
  check_for_jobs(options, jobs);
  const unsigned count = count_of_parts(command, options, jobs);
  const TemporaryFolder folder;
  ChildReport report;
  ::setenv(OtherJobs::kVariable, folder.path().c_str(), 1);
  std::ofstream(folder.path() / OtherJobs::kBegin).flush();
  ::unsetenv("HOCKET_HTML");  // the pages are written when all have ended
  PartsToRun parts{std::vector<unsigned>(count), count, jobs, folder.path()};
  std::iota(parts.numbers.begin(), parts.numbers.end(), 1U);
  std::vector<PartRun> runs;
  run_parts(command, options, parts, [&](PartRun run) { runs.push_back(std::move(run)); });
  return tell_verdict(command, options, std::move(runs), {"", count > jobs}, report);
}

}  // namespace hocket::tool
