#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/schedules/schedule_text.hpp"
#include "scheduler/search/search.hpp"
#include "scheduler/search/settings.hpp"

#include "child.hpp"
#include "child_report.hpp"
#include "commands.hpp"

namespace hocket::tool {

namespace {

void set(const char* variable, const std::string& value) {
  if (!value.empty()) ::setenv(variable, value.c_str(), 1);
}
template <class Number>
void set(const char* variable, const std::optional<Number>& value) {
  if (value) set(variable, std::to_string(*value));
}
void set(const char* variable, bool value) {
  if (value) set(variable, std::string("1"));
}

// The options travel in the environment, where every test program linked with Hocket finds them.
void set_environment(const RunCommand& command) {
  set("HOCKET_STRATEGY", command.strategy);
  set("HOCKET_PREEMPTIONS", command.preemptions);
  set("HOCKET_EXECUTIONS", command.executions);
  set("HOCKET_TIME", command.time);
  set("HOCKET_SEED", command.seed);
  set("HOCKET_PCT_DEPTH", command.pct_depth);
  set("HOCKET_PCT_LENGTH", command.pct_length);
  set("HOCKET_OUT", command.out);
  set("HOCKET_MEMORY", command.memory);
  set("HOCKET_STEPS", command.steps);
  set("HOCKET_STACK", command.stack);
  set("HOCKET_RESTORE", command.restore);
  set("HOCKET_DETECT", command.detect);
  set("HOCKET_WATCHDOG", command.watchdog);
  set("HOCKET_KEEP_GOING", command.keep_going);
  set("HOCKET_SPURIOUS_WAKEUPS", command.spurious_wakeups);
  set("HOCKET_SPURIOUS_FAILURES", command.spurious_failures);
  set("HOCKET_FAIR", command.fair);
  set("HOCKET_PLAIN_STEPS", command.plain_steps);
  set("HOCKET_SHOW_OUTPUT", command.show_output);
  set("HOCKET_REQUIRE_BOUND", command.require_bound);
  set("HOCKET_NO_SAVED", command.no_saved);
  set("HOCKET_TEST", command.test);
  set("GTEST_FILTER", command.test);
  for (const char* variable : {"HOCKET_REPLAY", "HOCKET_BREAK"}) ::unsetenv(variable);
}

// What the test program would refuse is refused here, before anything is started, and in the same words.
void check_options() {
  const std::function<void()> no_body;
  static_cast<void>(Search("", no_body, with_settings({})));
}

void tell(const std::string& sentence) {
  std::fprintf(stderr, "hocket: %s\n", sentence.c_str());
}

}  // namespace

int run(const RunCommand& command) {
  set_environment(command);
  if (!command.test.empty()) run_every_share();
  ChildReport report(command.report);
  check_options();
  const ChildEnd end = run_child(command.binary, command.arguments);
  const std::vector<ReportedSearch> searches = report.searches();
  const auto any = [&](std::initializer_list<std::string_view> verdicts) {
    return std::any_of(searches.begin(), searches.end(), [&](const ReportedSearch& search) {
      return std::find(verdicts.begin(), verdicts.end(), search.verdict) != verdicts.end();
    });
  };

  if (end.signal != 0) tell(command.binary + " was ended by " + signal_name(end.signal));
  if (any({"failed", "nondeterministic", "replay failed again"})) return kFailed;
  if (end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGHUP || end.signal == SIGKILL)
    return kStopped;
  if (end.signal != 0) return kFailed;
  const auto broken_off = std::find_if(searches.begin(), searches.end(),
      [](const ReportedSearch& search) { return search.verdict == "did not end"; });
  if (broken_off != searches.end()) {
    tell(command.binary + " ended with status " + std::to_string(end.status) +
         " in the middle of the search of \"" + broken_off->test + "\"");
    return kFailed;
  }
  if (searches.empty()) {
    const std::string ended = end.status == 0 ? "" : ", and ended with status " + std::to_string(end.status);
    const std::string which =
        command.test.empty() ? "" : ", and does it have the test \"" + command.test + "\"";
    tell(command.binary + " ran no search" + ended + "; is it a test program linked with Hocket" + which +
         "?");
    return kBad;
  }
  if (any({"bad file", "replay diverged"})) return kBad;
  if (any({"stopped"})) return kStopped;
  if (end.status != 0) {
    tell("every search passed, but " + command.binary + " ended with status " + std::to_string(end.status));
    return kFailed;
  }
  return kPassed;
}

}  // namespace hocket::tool
