// `hocket run`: runs a test program with options, and ends with a status that says what came of it.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sys/prctl.h>

#include "scheduler/api/text_width.hpp"
#include "scheduler/deaths/supervisor.hpp"
#include "scheduler/options/settings.hpp"
#include "scheduler/report/other_jobs.hpp"

#include "child.hpp"
#include "commands.hpp"
#include "parts.hpp"

namespace hocket::tool {

Options pass_on(const std::vector<GivenOption>& options) {
  Options result;
  Settings settings;
  for (const auto& [option, text] : options) {
    set_option(*option, option->command_flag(), text, result, settings);
    ::setenv(option->variable().c_str(), option->value.empty() && text == "true" ? "1" : text.c_str(), 1);
  }
  return result;
}

namespace {

/// A job that was killed leaves no process behind that goes on with one of its parts.
void end_with_parent() {
  if (std::getenv(OtherJobs::kVariable) != nullptr) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

}  // namespace

int run(const RunCommand& command) {
  pass_on(command.options);
  for (const OptionInfo& option : option_table()) {
    if (!option.is_of_run) ::unsetenv(option.variable().c_str());
  }
  const unsigned jobs = count_of_jobs(command.jobs);
  check_launch(command.launch);
  if (!command.checkpoint.empty()) return run_with_checkpoint(command, jobs);
  if (!command.launch.empty())
    throw UsageError(
        "--launch needs --checkpoint=DIR, a folder that all machines see, where the parts leave what they "
        "find");
  if (command.parts != 0) throw UsageError("--parts says how finely --checkpoint splits a search; give both");
  if (jobs > 1) ::setenv("HOCKET_JOBS", std::to_string(jobs).c_str(), 1);
  end_with_parent();
  if (!command.test.empty()) {
    ::setenv("HOCKET_TEST", command.test.c_str(), 1);
    ::setenv("GTEST_FILTER", command.test.c_str(), 1);
    run_every_share();
  }
  ChildReport report;
  check(with_settings({}));  // refuse what the test program would refuse, with the same message
  Supervisor supervisor;
  warn_if_useless(supervisor);
  const auto again = replay_command_of(command.binary, command.arguments);
  std::vector<std::string> words{command.binary};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const auto start = [&] { return run_program(command.binary, words); };
  const SupervisedEnd result = *supervisor.run(start, {command.binary, words, again}, report.file());
  const auto& [end, has_failed, is_ended_from_elsewhere] = result;
  if (end.error != 0) refuse_program(command.binary, end.error);
  const std::vector<ReportedSearch> searches = report.searches();
  const auto any = [&](std::initializer_list<std::string_view> verdicts) {
    return std::any_of(searches.begin(), searches.end(), [&](const ReportedSearch& search) {
      return std::find(verdicts.begin(), verdicts.end(), search.verdict) != verdicts.end();
    });
  };

  std::fputs(last_line(searches, again, columns_of_output()).c_str(), stdout);
  std::fflush(stdout);
  if (end.signal != 0) tell(command.binary + " " + to_text(end));
  if (has_failed || any({"failed", "nondeterministic", "replay failed again"})) return kFailed;
  const auto broken_off = std::find_if(searches.begin(), searches.end(),
      [](const ReportedSearch& search) { return search.verdict == "did not end"; });
  // A signal may also come between two executions.
  const bool is_search_stopped = broken_off != searches.end() && may_be_from_elsewhere(end.signal);
  if (is_ended_from_elsewhere || is_search_stopped) return kStopped;
  if (end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGHUP || end.signal == SIGKILL)
    return kStopped;
  if (end.signal != 0) return kFailed;
  if (broken_off != searches.end()) {
    tell(
        command.binary + " " + to_text(end) + " in the middle of the search of \"" + broken_off->test + "\"");
    return kFailed;
  }
  if (searches.empty()) {
    const std::string ended = end.status == 0 ? "" : ", and " + to_text(end);
    const std::string which =
        command.test.empty() ? "" : ", and does it have the test \"" + command.test + "\"";
    tell(command.binary + " ran no search" + ended + "; is it a test program linked with Hocket" + which +
         "?");
    return kBad;
  }
  if (any({"bad file", "replay diverged"})) return kBad;
  if (any({"stopped"})) return kStopped;
  if (end.status != 0) {
    tell("every search passed, but " + command.binary + " " + to_text(end));
    return kFailed;
  }
  return kPassed;
}

}  // namespace hocket::tool
