// Each job is this command once more, with --shard, so that whatever ends a test program is told and saved as
// it always is. Their output goes to files, and what is printed is made of their reports.
#include "jobs.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "runtime/terms/english.hpp"
#include "scheduler/api/number_text.hpp"
#include "scheduler/api/text_width.hpp"
#include "scheduler/process/program.hpp"
#include "scheduler/process/status_line.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/search/option_values.hpp"
#include "scheduler/search/other_jobs.hpp"
#include "scheduler/search/replay_command.hpp"
#include "scheduler/search/settings.hpp"
#include "scheduler/strategies/strategy_table.hpp"

#include "child_report.hpp"
#include "merge.hpp"
#include "search_report.hpp"
#include "tell.hpp"
#include "temporary_folder.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// One of the processes.
struct Job {
  unsigned number;  ///< from 1
  Program program;
  std::string report;  ///< the file
  ProgramEnd end = {};
  Json searches = Json::array();  ///< those that have come to their ends

  [[nodiscard]] int status() const {
    if (end.error != 0) return kBad;
    return end.signal != 0 ? kStopped : end.status;
  }
  /// Whether only what the process has printed says why it has not passed.
  [[nodiscard]] bool is_to_be_shown() const {
    if (status() != kFailed) return status() == kBad;
    bool says_report = false;
    for (const Json& search : searches) {
      if (!has_failed(search)) continue;
      says_report = true;
      const Json failures = search.value("failures", Json::array());
      const bool is_saved = failures.empty() || !failures.front().value("schedule_file", "").empty();
      if (!search.contains("shard") || !is_saved) return true;
    }
    return !says_report;
  }
};

/// Refuses what several processes cannot do together. `options`: of a program that sets none itself.
void check_for_jobs(const Options& options, unsigned count) {
  const StrategyInfo& strategy = strategy_info(options.strategy);
  if (options.shard)
    throw UsageError("--jobs splits each search into shards itself; leave out --shard, or --jobs");
  if (!strategy.can_be_split)
    throw UsageError(
        fmt::format("a search with {} cannot be split among {} jobs; with {} it can, or leave out --jobs",
            options.strategy, count, names_of_strategies_for_shards()));
  if (options.show_output) throw UsageError("--show-output is of one process; leave out --jobs");
  if (options.max_executions != 0 && options.max_executions < count)
    throw UsageError(fmt::format("{} cannot be divided among {} jobs; ask for fewer with --jobs",
        runtime::count_of(options.max_executions, "execution"), count));
  if (options.strategy == "auto")
    tell(fmt::format(
        "{} jobs search with icb, which can take longer than the default strategy with one job", count));
}

/// What a job is to run. Limits that are for all jobs together are divided among them.
Job job_of(const RunCommand& command, const Options& options, unsigned number, unsigned count,
    const fs::path& folder) {
  const std::string name = (folder / ("job-" + std::to_string(number))).string();
  Job job{number, {"/proc/self/exe", {}, name + ".out", name + ".err"}, name + ".json"};
  std::vector<std::string>& words = job.program.words;
  words = {std::getenv("HOCKET_COMMAND"), "run", fmt::format("--shard={}/{}", number, count),
      "--report=" + job.report};
  if (const std::uint64_t most = options.max_executions; most != 0)
    words.push_back(fmt::format("--executions={}", most / count + (number <= most % count ? 1 : 0)));
  if (const std::size_t most = options.memory_limit; most != 0)
    words.push_back(fmt::format("--memory={}", std::max<std::size_t>(most / count, 1)));
  if (!command.test.empty()) words.push_back("--test=" + command.test);
  words.insert(words.end(), {"--", command.binary});
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  job.report = report_of_shard(job.report);  // the job's name for it
  return job;
}

void read_searches(Job& job) {
  std::ifstream in(job.report);
  const Json report = read_search_report(in);
  if (report.is_null()) return;
  for (const Json& search : report["searches"]) {
    if (search.is_object() && search.value("verdict", "") != "did not end") job.searches.push_back(search);
  }
}

/// The failure with all that its schedule file says; nothing if there is no such file.
std::optional<FoundFailure> whole_failure(const Json& json) {
  FoundFailure failure;
  failure.schedule_file = json.value("schedule_file", "");
  if (failure.schedule_file.empty()) return std::nullopt;
  try {
    failure.schedule = std::make_shared<const Schedule>(read_schedule(failure.schedule_file));
  } catch (const ScheduleError& error) {
    tell(error.what());
    return std::nullopt;
  }
  failure.kind = failure.schedule->kind;
  failure.message = json.value("message", "");
  failure.where = json.value("where", "");
  failure.bound = json.value("bound", failure.schedule->bound);
  failure.found_bound = json.value("found_bound", failure.bound);
  failure.known_least = json.value("known_least", 0U);
  failure.executions = json.value("executions", std::uint64_t{0});
  failure.from_saved = json.value("from_saved", false);
  failure.differs_from_file = json.value("differs_from_file", "");
  failure.output = json.value("output", "");
  return failure;
}

/// The search as one process would tell it: with its first failure, which is the least, or with all of them
/// if it was to go on. Any other failure has a line.
std::string told(WholeSearch search, bool keeps_going) {
  std::string others;
  bool is_any_told = false;
  for (const Json& failure : search.json.value("failures", Json::array())) {
    const bool is_wanted = search.report && (keeps_going || !is_any_told);
    if (std::optional<FoundFailure> whole = is_wanted ? whole_failure(failure) : std::nullopt) {
      search.report->failures.push_back(std::move(*whole));
      is_any_told = true;
    } else {
      others += text_of_failure(failure);
    }
  }
  return to_text(search) + (is_any_told && !others.empty() ? "\nOther jobs have found:\n" : "") + others;
}

/// The job whose standard error is shown: that of the first failure.
unsigned number_of_speaker(const std::vector<WholeSearch>& searches) {
  for (const WholeSearch& search : searches) {
    for (const Json& failure : search.json.value("failures", Json::array()))
      return failure.value("shard", 1U);
  }
  return 1;
}

/// On a terminal, a thread that says in a line, until it is stopped, that something is done.
std::jthread line_on_terminal(unsigned count) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return std::jthread([count](const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    for (StatusLine line; !stop.stop_requested();
         std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (line.is_due(Clock::now()))
        line.show(fmt::format("{} jobs search, {}", count, duration_text(seconds)), Clock::now());
    }
  });
}

void show(const std::string& file, std::FILE* stream) {
  const std::string text = text_of(file);
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

/// Calls `use` with the file of each failure that was saved.
template <class Use>
void for_each_file(const Json& search, Use use) {
  for (const Json& failure : search.value("failures", Json::array())) {
    if (const std::string file = failure.value("schedule_file", ""); !file.empty()) use(file);
  }
}

/// Several jobs may have saved one failure. Removes the files that the report of all of them does not name.
void remove_duplicates(const std::vector<Job>& jobs, const std::vector<WholeSearch>& searches) {
  std::set<std::string> named;
  for (const WholeSearch& search : searches)
    for_each_file(search.json, [&](const std::string& file) { named.insert(file); });
  for (const Job& job : jobs) {
    for (const Json& search : job.searches) {
      for_each_file(search, [&](const std::string& file) {
        std::error_code ignored;
        if (!named.contains(file) && OtherJobs::may_have_saved(file)) fs::remove(file, ignored);
      });
    }
  }
}

/// As test programs do, if a folder for pages was asked for.
void write_pages(const RunCommand& command, const std::vector<WholeSearch>& searches) {
  ReportCommand pages{{}, settings().html_folder + "/", {command.binary, {}}};
  for (const WholeSearch& search : searches)
    for_each_file(search.json, [&](const std::string& file) { pages.files.push_back(file); });
  std::fflush(stdout);
  if (!settings().html_folder.empty() && !pages.files.empty()) report(pages);
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

int run_jobs(const RunCommand& command, unsigned count) {
  const Options options = with_settings({});
  check(options);
  check_for_jobs(options, count);
  ChildReport report;
  const TemporaryFolder folder;
  ::setenv(OtherJobs::kVariable, folder.path().c_str(), 1);
  std::ofstream(folder.path() / OtherJobs::kBegin).flush();
  std::vector<Job> jobs;
  std::vector<Program> programs;
  for (unsigned number = 1; number <= count; ++number)
    programs.push_back(jobs.emplace_back(job_of(command, options, number, count, folder.path())).program);
  ::unsetenv("HOCKET_HTML");  // the pages are written when all have ended
  std::vector<ProgramEnd> ends;
  {
    const std::jthread line = line_on_terminal(count);
    ends = run_programs(programs);
  }

  std::vector<ShardReport> reports;
  for (Job& job : jobs) {
    job.end = ends[job.number - 1];
    read_searches(job);
    reports.push_back({job.report, {{"hocket_report", 1}, {"searches", job.searches}}});
  }
  const std::vector<WholeSearch> searches = whole_searches(std::move(reports));
  remove_duplicates(jobs, searches);
  tell_of_program(command.binary, command.arguments);
  const auto shown =
      std::find_if(jobs.begin(), jobs.end(), [](const Job& job) { return job.is_to_be_shown(); });
  const Job& speaker = shown != jobs.end() ? *shown : jobs[number_of_speaker(searches) - 1];
  if (shown != jobs.end()) show(speaker.program.output, stdout);
  show(speaker.program.errors, stderr);
  for (const Job& job : jobs) {
    if (job.end.error != 0)
      tell(fmt::format(
          "job {} could not be started ({})", job.number, std::generic_category().message(job.end.error)));
    if (job.end.signal != 0) tell(fmt::format("job {} {}", job.number, to_text(job.end)));
  }
  if (!searches.empty()) {
    std::ofstream(report.file()) << text_of_report(searches);
    for (const WholeSearch& search : searches) std::fputs(told(search, options.keep_going).c_str(), stdout);
    write_pages(command, searches);
    std::fputs(last_line(report.searches(), replay_command(), columns_of_output()).c_str(), stdout);
    std::fflush(stdout);
  }
  const auto has_ended_with = [&](int status) {
    return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.status() == status; });
  };
  const bool is_stopped = std::any_of(searches.begin(), searches.end(),
      [](const WholeSearch& search) { return search.json.value("verdict", "") == "stopped"; });
  for (const int status : {kFailed, kBad}) {
    if (has_ended_with(status)) return status;
  }
  return is_stopped || has_ended_with(kStopped) ? kStopped : kPassed;
}

}  // namespace hocket::tool
