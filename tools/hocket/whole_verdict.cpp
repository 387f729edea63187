#include "whole_verdict.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "scheduler/api/text_width.hpp"
#include "scheduler/options/replay_command.hpp"
#include "scheduler/options/settings.hpp"
#include "scheduler/report/other_jobs.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

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
  return to_text(search) + (is_any_told && !others.empty() ? "\nOther parts have found:\n" : "") + others;
}

/// The part whose standard error is shown: that of the first failure.
const PartRun& speaker_of(const std::vector<PartRun>& parts, const std::vector<WholeSearch>& searches) {
  for (const WholeSearch& search : searches) {
    for (const Json& failure : search.json.value("failures", Json::array())) {
      const auto it = std::find_if(parts.begin(), parts.end(),
          [&](const PartRun& part) { return part.number == failure.value("shard", 1U); });
      if (it != parts.end()) return *it;
    }
  }
  return parts.front();
}

void show(const std::string& text, std::FILE* stream) {
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

/// The files of failures that the parts have saved.
std::set<std::string> files_of(const std::vector<PartRun>& parts) {
  std::set<std::string> files;
  for (const PartRun& part : parts) {
    for (const Json& search : part.searches)
      for_each_file(search, [&](const std::string& file) { files.insert(file); });
  }
  return files;
}

/// Several parts may have saved one failure. Removes the files that the report of all of them does not name.
void remove_duplicates(std::set<std::string> files, const std::vector<WholeSearch>& searches) {
  for (const WholeSearch& search : searches)
    for_each_file(search.json, [&](const std::string& file) { files.erase(file); });
  for (const std::string& file : files) {
    std::error_code ignored;
    if (OtherJobs::may_have_saved(file)) fs::remove(file, ignored);
  }
}

/// Schedule files that a part has kept, and that are gone since, are written again.
void restore_schedules(WholeSearch& search) {
  if (!search.json.contains("failures")) return;
  for (Json& failure : search.json["failures"]) {
    const std::string text = failure.value(kScheduleText, "");
    failure.erase(kScheduleText);
    const fs::path file = failure.value("schedule_file", "");
    std::error_code ignored;
    if (text.empty() || fs::exists(file, ignored)) continue;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
    try {
      replace_file(file, text);
    } catch (const std::system_error& error) {
      tell(
          fmt::format("{} is gone, and cannot be written again ({})", file.string(), error.code().message()));
      failure["schedule_file"] = "";
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

/// The searches of all parts as reports, which take them. Those of parts that ran at the same time have
/// divided the seconds among them.
std::vector<ShardReport> reports_of(std::vector<PartRun>& parts) {
  std::vector<ShardReport> reports;
  for (PartRun& part : parts) {
    Json report{{"hocket_report", 1}};
    report["searches"] = std::exchange(part.searches, Json::array());
    for (Json& search : report["searches"]) {
      if (search.contains("seconds")) search["seconds"] = search.value("seconds", 0.0) / part.jobs;
    }
    reports.push_back({fmt::format("part {}", part.number), std::move(report)});
  }
  return reports;
}

/// The exit status of all.
int status_of(const std::vector<PartRun>& parts, const std::vector<WholeSearch>& searches) {
  const auto has_ended_with = [&](int status) {
    return std::any_of(
        parts.begin(), parts.end(), [&](const PartRun& part) { return part.status() == status; });
  };
  for (const int status : {kFailed, kBad}) {
    if (has_ended_with(status)) return status;
  }
  const bool is_stopped = std::any_of(searches.begin(), searches.end(),
      [](const WholeSearch& search) { return search.json.value("verdict", "") == "stopped"; });
  return is_stopped || has_ended_with(kStopped) ? kStopped : kPassed;
}

}  // namespace

int tell_verdict(const RunCommand& command, const Options& options, std::vector<PartRun> parts,
    const ShardsRun& run, ChildReport& report) {
  std::sort(parts.begin(), parts.end(),
      [](const PartRun& one, const PartRun& other) { return one.number < other.number; });
  const auto shown =
      std::find_if(parts.begin(), parts.end(), [](const PartRun& part) { return part.is_to_be_shown(); });
  const std::set<std::string> files = files_of(parts);
  std::vector<WholeSearch> searches = whole_searches(reports_of(parts), run);
  for (WholeSearch& search : searches) restore_schedules(search);
  remove_duplicates(files, searches);
  tell_of_program(command.binary, command.arguments);
  if (shown != parts.end()) show(shown->output, stdout);
  if (!parts.empty()) {
    const PartRun& speaker = shown != parts.end() ? *shown : speaker_of(parts, searches);
    if (!speaker.end.was_told_to_end) show(speaker.errors, stderr);
  }
  for (const PartRun& part : parts) {
    if (part.end.error != 0)
      tell(fmt::format(
          "part {} could not be started ({})", part.number, std::generic_category().message(part.end.error)));
    if (part.end.signal != 0 && !part.end.was_told_to_end)
      tell(fmt::format("part {} {}", part.number, to_text(part.end)));
  }
  if (!searches.empty()) {
    std::ofstream(report.file()) << text_of_report(searches);
    for (const WholeSearch& search : searches) std::fputs(told(search, options.keep_going).c_str(), stdout);
    write_pages(command, searches);
    const std::vector<ReportedSearch> outcomes = report.searches();
    const bool has_any_failed = std::any_of(
        searches.begin(), searches.end(), [](const WholeSearch& search) { return has_failed(search.json); });
    // Who stopped the search goes on with it, and needs no advice on its limits.
    if (run.lack.empty() || has_any_failed)
      std::fputs(last_line(outcomes, replay_command(), columns_of_output()).c_str(), stdout);
    std::fflush(stdout);
  }
  return status_of(parts, searches);
}

}  // namespace hocket::tool
