#include "last_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include <spdlog/fmt/fmt.h>
#include <nlohmann/json.hpp>

#include "../../runtime/terms/english.hpp"
#include "../../runtime/threads/host.hpp"
#include "../api/number_text.hpp"
#include "../api/text_width.hpp"
#include "../options/settings.hpp"

namespace hocket {

namespace {

using Outcomes = std::vector<SearchOutcome>;

Outcomes with_verdict(const Outcomes& outcomes, std::string_view verdict) {
  Outcomes chosen;
  std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(chosen),
      [&](const SearchOutcome& outcome) { return outcome.verdict == verdict; });
  return chosen;
}

unsigned least_bound(const Outcomes& outcomes) {
  return std::min_element(outcomes.begin(), outcomes.end(),
      [](const SearchOutcome& a, const SearchOutcome& b) { return a.bound < b.bound; })
      ->bound;
}

/// Why the searches were stopped, if it was the same for all: " by the time limit of 10.0 s"; or empty.
std::string common_reason(const Outcomes& stopped) {
  const std::string& reason = stopped.front().stopped_by;
  const bool is_common = std::all_of(stopped.begin(), stopped.end(),
      [&](const SearchOutcome& outcome) { return outcome.stopped_by == reason; });
  return is_common && !reason.empty() ? " by " + reason : "";
}

/// A time limit that is long enough for `seconds`, in a unit that people use: "45s", "12m", "3h".
std::string time_limit_for(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f}s", std::ceil(seconds / 5) * 5);
  if (seconds < 7200) return fmt::format("{:.0f}m", std::ceil(seconds / 60));
  return fmt::format("{:.0f}h", std::ceil(seconds / 3600));
}

std::string advice_for_stopped(const SearchOutcome& stopped) {
  constexpr double kMost = 24.0 * 3600;
  const auto by = [&](std::string_view what) { return stopped.stopped_by.starts_with(what); };
  if (by("the time limit") && stopped.seconds_left && *stopped.seconds_left < kMost) {
    return fmt::format("{} may need {} more: --hocket_time={}", stopped.test,
        duration_text(*stopped.seconds_left), time_limit_for(*stopped.seconds_left * 1.5 + 5));
  }
  if (by("the time limit") && stopped.seconds_left)
    return fmt::format("{} would take days: fewer threads or steps, or --hocket_strategy=mix", stopped.test);
  if (by("the time limit")) return fmt::format("more for {}: --hocket_time=T", stopped.test);
  if (by("the limit of") && stopped.stopped_by.ends_with("executions"))
    return fmt::format("more for {}: --hocket_executions=N", stopped.test);
  if (by("the memory limit")) return fmt::format("more for {}: --hocket_memory=BYTES", stopped.test);
  if (by("SIG")) return "what was not searched may fail: run it again";
  return fmt::format("look at {} above", stopped.test);
}

struct TestsSoFar {
  std::size_t searches = 0;      ///< of the program, when the last test began
  std::size_t not_searched = 0;  ///< tests that have started threads
  bool started_before = false;   ///< threads, before the last test
};
constinit TestsSoFar tests_so_far;

}  // namespace

SearchOutcome outcome_of(const nlohmann::json& entry) {
  SearchOutcome outcome;
  outcome.test = entry.at("test").get<std::string>();
  outcome.verdict = entry.at("verdict").get<std::string>();
  outcome.stopped_by = entry.value("stopped_by", "");
  outcome.ended_at_race = entry.value("ended_at_race", false);
  outcome.is_sealed = entry.contains("sealed");
  const auto bounds = entry.value("bounds", nlohmann::json::array());
  for (unsigned n = 0; n < bounds.size() && bounds.at(n).at("complete").get<bool>(); ++n) outcome.bound = n;
  const auto failures = entry.value("failures", nlohmann::json::array());
  if (!failures.empty()) outcome.schedule_file = failures.front().value("schedule_file", "");
  if (entry.contains("unfinished"))
    outcome.seconds_left = entry.at("unfinished").at("most_seconds_left").get<double>();
  return outcome;
}

std::string last_line(const Outcomes& outcomes, unsigned width) {
  return last_line(outcomes, replay_command(), width);
}

std::string last_line(const Outcomes& outcomes, const ReplayCommand& again, unsigned width) {
  const Outcomes failed = with_verdict(outcomes, "failed");
  const Outcomes strange = with_verdict(outcomes, "nondeterministic");
  const Outcomes stopped = with_verdict(outcomes, "stopped");
  const Outcomes sampled = with_verdict(outcomes, "passed sample");
  const Outcomes split = with_verdict(outcomes, "passed its shard");
  Outcomes bounded = with_verdict(outcomes, "passed within the bound");
  Outcomes sealed;
  std::copy_if(bounded.begin(), bounded.end(), std::back_inserter(sealed),
      [](const SearchOutcome& outcome) { return outcome.is_sealed; });
  std::erase_if(bounded, [](const SearchOutcome& outcome) { return outcome.is_sealed; });
  const Outcomes complete = with_verdict(outcomes, "passed exhaustively");
  std::string text;
  const auto add = [&](const Outcomes& some, const std::string& what) {
    if (!some.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number_text(some.size()), what);
  };
  add(failed, "failed");
  add(strange, "nondeterministic");
  if (!stopped.empty()) add(stopped, "stopped" + common_reason(stopped));
  add(sampled, "sampled");
  add(split, split.size() == 1 ? "passed its shard" : "passed their shards");
  if (!bounded.empty()) {
    const unsigned bound = least_bound(bounded);
    add(bounded, "passed with at most " + runtime::count_of(bound, "preemption"));
  }
  add(sealed, "passed without sealed preemptions");
  add(complete, "passed in full");
  if (text.empty()) return {};

  std::string next;
  std::string command;
  if (!failed.empty() && !failed.front().schedule_file.empty()) {
    next = "the first failure again:";
    command = "  " + again.with(file_for_shell(failed.front().schedule_file)) + "\n";
  } else if (!failed.empty()) {
    next = failed.front().test + " is the first that failed";
  } else if (!strange.empty()) {
    next = strange.front().test + " depends on more than the schedule: see above";
  } else if (!stopped.empty()) {
    next = advice_for_stopped(stopped.front());
  } else if (!split.empty()) {
    next = "hocket merge joins the reports that --hocket_report=FILE writes";
  } else if (!sampled.empty()) {
    next = "a sample promises nothing: --hocket_strategy=auto covers schedules by bounds";
  } else if (!bounded.empty()) {
    next = fmt::format("for more: --hocket_preemptions={}", least_bound(bounded) + 1);
  } else if (!sealed.empty()) {
    next = "what was left out is told above";
  } else {
    next = "nothing is left to explore";
  }
  const bool is_at_race = std::any_of(
      outcomes.begin(), outcomes.end(), [](const SearchOutcome& outcome) { return outcome.ended_at_race; });
  const std::string before = is_at_race ? std::string(kAfterRace) + "\n" : std::string{};
  return wrapped(
             before + fmt::format("hocket: {}: {}; {}\n", count_text(outcomes.size(), "search"), text, next),
             width) +
         command;
}

void note_test_begins() {
  tests_so_far.started_before |= runtime::has_real_threads.exchange(false);
  tests_so_far.searches = outcomes_so_far().size();
}

void note_test_ends() {
  if (runtime::has_real_threads && outcomes_so_far().size() == tests_so_far.searches)
    ++tests_so_far.not_searched;
}

std::string line_on_tests_not_searched() {
  if (settings().all_tests || !settings().replay.empty()) return {};
  if (const std::size_t count = tests_so_far.not_searched; count != 0) {
    return fmt::format(
        "hocket: {} ran once, with real threads, and {} not searched: add --hocket_all_tests\n",
        count_text(count, "test"), count == 1 ? "was" : "were");
  }
  const bool has_threads = runtime::has_real_threads || tests_so_far.started_before;
  if (!outcomes_so_far().empty() || !has_threads) return {};
  return "hocket: no test was searched, and the program has real threads: add --hocket_all_tests\n";
}

Outcomes& outcomes_so_far() {
  static auto& outcomes = *new Outcomes;  // never destroyed, as the settings are
  return outcomes;
}

std::string record_of_outcomes(std::size_t first) {
  nlohmann::json entries = nlohmann::json::array();
  for (; first < outcomes_so_far().size(); ++first) {
    const SearchOutcome& outcome = outcomes_so_far()[first];
    nlohmann::json& entry = entries.emplace_back();
    entry = {{"test", outcome.test}, {"verdict", outcome.verdict}, {"stopped_by", outcome.stopped_by},
        {"ended_at_race", outcome.ended_at_race}};
    for (unsigned n = 0; n <= outcome.bound; ++n) entry["bounds"].push_back({{"complete", true}});
    if (!outcome.schedule_file.empty()) entry["failures"][0]["schedule_file"] = outcome.schedule_file;
    if (outcome.seconds_left) entry["unfinished"]["most_seconds_left"] = *outcome.seconds_left;
    if (outcome.is_sealed) entry["sealed"] = true;
  }
  return entries.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_outcomes(const std::string& record) {
  for (const auto& entry : nlohmann::json::parse(record)) outcomes_so_far().push_back(outcome_of(entry));
}

bool is_run_by_command() {
  return std::getenv("HOCKET_COMMAND") != nullptr;
}

}  // namespace hocket
