// `hocket replay` and `hocket minimize`: run a test program so that it follows a schedule file.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/deaths/supervisor.hpp"
#include "scheduler/options/replay_command.hpp"
#include "scheduler/schedules/schedule_file.hpp"

#include "child.hpp"
#include "commands.hpp"

namespace hocket::tool {

namespace {

int status_without_verdict(const ReplayCommand& command, const Options& options, const Schedule& schedule,
    const ProgramEnd& end, bool is_broken_off, const std::optional<LastExecution>& lost) {
  if (end.signal == SIGTRAP && options.break_at_failure) {
    const std::string step =
        options.break_at_step != 0 ? "--step " + std::to_string(options.break_at_step) + " " : "";
    tell("stopped for a debugger; to look around there: hocket gdb " + step + file_for_shell(command.file) +
         " " + quoted_for_shell(command.binary));
    return kFailed;
  }
  // Recorded, it may end in another way at the same place, as where it may call the system no more.
  if (lost.has_value() && lost->schedule.choices.size() == schedule.choices.size()) {
    static_cast<void>(lost->tell({}));  // it is in the file already
    return kFailed;
  }
  if (end.signal != 0) {
    const bool again = end.signal == schedule.signal;
    tell(command.binary + " " + to_text(end) + (again ? ": the failure came again" : ""));
    return again ? kFailed : kBad;
  }
  const bool ends_processes =
      schedule.kind == runtime::FailureKind::exit || schedule.kind == runtime::FailureKind::stuck;
  if (is_broken_off) {
    const bool again = ends_processes && end.status == 1;
    tell(command.binary + " " + to_text(end) + " in the middle of the replay" +
         (again ? ": the failure came again" : ""));
    return again ? kFailed : kBad;
  }
  if (end.status != kBad) {  // with this status it has already said why
    tell(command.binary + " has not replayed the test \"" + schedule.test +
         "\"; is it the program that wrote the file?");
  }
  return kBad;
}

}  // namespace

int replay(const ReplayCommand& command) {
  const Schedule schedule = read_schedule(command.file);
  const Options options = pass_on(command.options);
  ChildReport report;
  const bool has_name = command.file != kStandardInput;
  ::setenv(
      "HOCKET_REPLAY", has_name ? std::filesystem::absolute(command.file).c_str() : command.file.c_str(), 1);
  ::setenv("HOCKET_TEST", schedule.test.c_str(), 1);
  if (!command.minimize_time.empty()) {
    ::setenv("HOCKET_MINIMIZE_FILE", "1", 1);
    ::setenv("HOCKET_MINIMIZE", command.minimize_time.c_str(), 1);
  }
  run_every_share();
  Supervisor supervisor;
  warn_if_useless(supervisor);
  const ProgramEnd end = run_child(command.binary, command.arguments);
  const std::optional<LastExecution> lost = supervisor.lost_execution(end);

  const std::vector<ReportedSearch> searches = report.searches();
  const auto search = std::find_if(
      searches.begin(), searches.end(), [&](const ReportedSearch& s) { return s.test == schedule.test; });
  const bool is_broken_off = search != searches.end() && search->verdict == "did not end";
  if (search == searches.end() || is_broken_off || end.signal != 0)
    return status_without_verdict(command, options, schedule, end, is_broken_off, lost);
  if (search->verdict == "replay failed again") return kFailed;
  if (search->verdict == "replay ran clean") return kPassed;
  if (search->verdict == "stopped") return kStopped;
  return kBad;
}

}  // namespace hocket::tool
