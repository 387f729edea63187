// `hocket run --checkpoint` and `hocket resume`: a search whose parts are kept.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "runtime/platform/ending.hpp"
#include "scheduler/api/number_text.hpp"
#include "scheduler/options/option_table.hpp"
#include "scheduler/options/settings.hpp"
#include "scheduler/report/other_jobs.hpp"
#include "scheduler/strategies/strategy.hpp"
#include "scheduler/strategies/strategy_table.hpp"

#include "checkpoint.hpp"
#include "child.hpp"
#include "commands.hpp"
#include "parts.hpp"
#include "temporary_folder.hpp"
#include "whole_verdict.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

/// The variables of options that are not of the search, but of the command that runs or resumes it.
constexpr std::array kOfRun{"HOCKET_TIME", "HOCKET_REPORT", "HOCKET_HTML"};

/// Whether the variable says what is searched.
bool is_of_search(const std::string& name) {
  if (std::find(kOfRun.begin(), kOfRun.end(), name) != kOfRun.end()) return false;
  if (name == "HOCKET_TEST" || name.starts_with("GTEST_")) return true;
  const auto options = option_table();
  return std::any_of(
      options.begin(), options.end(), [&](const OptionInfo& option) { return option.variable() == name; });
}

std::map<std::string, std::string> variables_of_search() {
  std::map<std::string, std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    if (is_of_search(name)) variables.emplace(name, std::getenv(name.c_str()));
  }
  return variables;
}

void set_variables_of_search(const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables_of_search()) ::unsetenv(name.c_str());
  for (const auto& [name, value] : variables) {
    if (is_of_search(name)) ::setenv(name.c_str(), value.c_str(), 1);
  }
}

/// The time that this run has, which is no option of its parts; none: any.
std::optional<std::chrono::nanoseconds> take_time() {
  const char* const text = std::getenv("HOCKET_TIME");
  if (text == nullptr || *text == '\0') return std::nullopt;
  Options options;
  Settings settings;
  for (const OptionInfo& option : option_table()) {
    if (option.name == "time") set_option(option, option.command_flag(), text, options, settings);
  }
  ::unsetenv("HOCKET_TIME");
  if (options.time_limit.count() == 0) return std::nullopt;
  return options.time_limit;
}

/// `options`: of a program that sets none itself.
void check_for_parts(const Options& options, unsigned parts) {
  if (options.shard)
    throw UsageError("--checkpoint splits each search into parts itself; leave out --shard, or --checkpoint");
  const StrategyInfo& strategy = strategy_info(options.strategy);
  if (!strategy.can_be_split)
    throw UsageError(
        fmt::format("a search with {} cannot be split into parts; with {} it can, or leave out --checkpoint",
            options.strategy, names_of_strategies_for_shards()));
  if (options.show_output) throw UsageError("--show-output is of one process; leave out --checkpoint");
  if (settings().all_tests)
    throw UsageError(
        "--all-tests divides a time among tests, and --checkpoint has no end of time; leave out one");
  const bool samples = strategy.make(options)->is_sampling();
  if (samples && options.max_executions < parts)
    throw UsageError(fmt::format("{} draws schedules without end; say how many with --executions, {} or more",
        options.strategy, parts));
  if (!samples && options.max_executions != 0)
    throw UsageError("--executions would stop each part early; limit the time of this run with --time");
}

/// What ended a run before all parts were run, as Report::stopped_by; empty: nothing.
std::string reason_of(const QueueEnd& end, const std::optional<std::chrono::nanoseconds>& time) {
  if (end.signal != 0) return end.signal == SIGINT ? "Ctrl-C" : runtime::platform::signal_name(end.signal);
  if (end.is_out_of_time)
    return "the time limit of " + duration_text(std::chrono::duration<double>(*time).count());
  return {};
}

std::vector<unsigned> missing_in(const std::vector<PartRun>& parts, unsigned count) {
  std::vector<bool> is_there(count + 1);
  for (const PartRun& part : parts) is_there[part.number] = true;
  std::vector<unsigned> missing;
  for (unsigned number = 1; number <= count; ++number) {
    if (!is_there[number]) missing.push_back(number);
  }
  return missing;
}

/// What is known to have failed ends the search of the others. It was told to those who ran before, too, but
/// they may have been killed before it was kept: then it is to be found again.
void tell_jobs_of_failures(const std::vector<PartRun>& parts) {
  for (const PartRun& part : parts) {
    std::map<std::string, std::size_t> before;
    for (const nlohmann::ordered_json& search : part.searches) {
      const std::string test = search.value("test", "");
      const OtherJobs others(test, before[test]++);
      const std::string strategy = search.value("strategy", "");
      if (!has_failed(search) || strategy.empty()) continue;
      const bool has_bounds = strategy_info(strategy).make({})->has_bounds();
      for (const auto& failure : search.value("failures", nlohmann::ordered_json::array()))
        others.tell_of_failure(has_bounds ? failure.value("bound", 0U) : 0);
    }
  }
}

/// How parts are run, unlike what the search is.
struct HowToRun {
  unsigned jobs = 1;
  std::string launch;
  std::optional<std::chrono::nanoseconds> time;
};

int go_on(Checkpoint& checkpoint, const HowToRun& how) {
  const Clock::time_point begin = Clock::now();
  const Options options = with_settings({});
  const RunCommand& command = checkpoint.search().command;
  const unsigned count = checkpoint.search().parts;
  std::vector<PartRun> parts = checkpoint.parts();
  // What is temporary is in there, where the next run finds it if this one is killed.
  ::setenv(OtherJobs::kVariable, fs::absolute(checkpoint.work()).c_str(), 1);
  const TemporaryFolder folder;
  ::setenv(OtherJobs::kVariable, folder.path().c_str(), 1);
  std::ofstream(folder.path() / OtherJobs::kBegin).flush();
  fs::last_write_time(folder.path() / OtherJobs::kBegin, checkpoint.begin());
  if (!options.keep_going) tell_jobs_of_failures(parts);
  ChildReport report;
  ::unsetenv("HOCKET_HTML");  // the pages are written when all have ended
  std::string why;
  if (std::vector<unsigned> missing = missing_in(parts, count); !missing.empty()) {
    PartsToRun run{std::move(missing), count, how.jobs, folder.path(), how.launch};
    if (how.time) run.deadline = begin + *how.time;
    const QueueEnd end = run_parts(command, options, run, [&](PartRun part) {
      const bool is_whole = part.is_whole();
      if (is_whole) checkpoint.keep(part);
      if (!is_whole && !part.end.was_told_to_end) checkpoint.check_room();
      parts.push_back(std::move(part));
    });
    why = reason_of(end, how.time);
  }
  const unsigned kept = checkpoint.count_of_kept();
  const int status = tell_verdict(command, options, std::move(parts), {why, true}, report);
  if (kept == count) return status;
  if (status == kBad) checkpoint.forget_unless_begun();
  if (status != kBad || kept != 0)
    tell(fmt::format("{} of {} parts are done; to go on: {}", kept, count, checkpoint.command_to_resume()));
  return status == kPassed ? kStopped : status;
}

/// Names of files for which this run was asked are of the current folder, also after a change of it.
void name_files_from_here() {
  for (const char* name : {"HOCKET_REPORT", "HOCKET_HTML"}) {
    const char* const file = std::getenv(name);
    if (file != nullptr && *file != '\0') ::setenv(name, fs::absolute(file).c_str(), 1);
  }
  const fs::path command = std::getenv("HOCKET_COMMAND");
  if (command.has_parent_path()) ::setenv("HOCKET_COMMAND", fs::absolute(command).c_str(), 1);
}

void go_to(const std::string& folder, Checkpoint& checkpoint) {
  std::error_code error;
  if (fs::equivalent(folder, fs::current_path(), error)) return;
  name_files_from_here();
  checkpoint.use_absolute_path();
  fs::current_path(folder, error);
  if (error)
    throw UsageError(
        fmt::format("the search was begun in {}, where one cannot go ({}); begin anew in another "
                    "folder",
            folder, error.message()));
  tell("the search was begun in " + folder + ", and goes on there");
}

}  // namespace

int run_with_checkpoint(const RunCommand& command, unsigned jobs) {
  const std::optional<std::chrono::nanoseconds> time = take_time();
  const Options options = with_settings({});
  check(options);
  const KeptSearch search{
      command, fs::current_path().string(), build_of(command.binary), variables_of_search(), command.parts};
  check_for_parts(options, command.parts != 0 ? command.parts : KeptSearch::kUsualParts);
  Checkpoint checkpoint(command.checkpoint, search);
  if (options.strategy == "auto" && checkpoint.is_new())
    tell("a search with a checkpoint is one with icb, which can take longer than the default strategy");
  return go_on(checkpoint, {jobs, command.launch, time});
}

int resume(const ResumeCommand& command) {
  check_launch(command.launch);
  const unsigned jobs = count_of_jobs(command.jobs);
  pass_on(command.options);
  const std::optional<std::chrono::nanoseconds> time = take_time();
  Checkpoint checkpoint(command.folder);
  set_variables_of_search(checkpoint.search().variables);
  go_to(checkpoint.search().folder, checkpoint);
  return go_on(checkpoint, {jobs, command.launch, time});
}

}  // namespace hocket::tool
