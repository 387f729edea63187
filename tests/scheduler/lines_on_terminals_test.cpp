// The line that says how far a search is, and the last line of a program: one that a person can act on.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include <nlohmann/json.hpp>

#include "scheduler/process/status_line.hpp"
#include "scheduler/report/last_line.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

const SearchOutcome kComplete{.test = "A.Complete", .verdict = "passed exhaustively"};
const SearchOutcome kBounded{.test = "A.Bounded", .verdict = "passed within the bound", .bound = 2};
const SearchOutcome kSampled{.test = "A.Sampled", .verdict = "passed sample"};
const SearchOutcome kStrange{.test = "A.Strange", .verdict = "nondeterministic"};

SearchOutcome stopped(const char* by, std::optional<double> seconds_left = {}) {
  return {.test = "A.Stopped", .verdict = "stopped", .stopped_by = by, .seconds_left = seconds_left};
}

TEST(TheLastLine, SaysWhatWasCoveredAndHowToGoOn) {
  EXPECT_EQ(last_line({kComplete}, 0), "hocket: 1 search: 1 passed in full; nothing is left to explore\n");
  EXPECT_EQ(last_line({kComplete, kBounded, kComplete}, 0),
      "hocket: 3 searches: 1 passed with at most 2 preemptions, 2 passed in full; for more: "
      "--hocket_preemptions=3\n");
  EXPECT_EQ(last_line({kSampled, kBounded}, 0),
      "hocket: 2 searches: 1 sampled, 1 passed with at most 2 preemptions; a sample promises nothing: "
      "--hocket_strategy=auto covers schedules by bounds\n");
}

TEST(TheLastLine, TellsSealedSearchesFromThoseThatLeftOutNoPreemptions) {
  SearchOutcome sealed = kBounded;
  sealed.is_sealed = true;
  EXPECT_EQ(last_line({sealed, kComplete}, 0),
      "hocket: 2 searches: 1 passed without sealed preemptions, 1 passed in full; what was left out is told "
      "above\n");
  EXPECT_TRUE(
      outcome_of({{"test", "A.B"}, {"verdict", "passed within the bound"}, {"sealed", "in f"}}).is_sealed);
}

TEST(TheLastLine, SaysWhyASearchWasStoppedAndWhatItNeeds) {
  EXPECT_EQ(last_line({kComplete, stopped("the time limit of 10.0 s", 40)}, 0),
      "hocket: 2 searches: 1 stopped by the time limit of 10.0 s, 1 passed in full; A.Stopped may need 40.0 "
      "s more: --hocket_time=65s\n");
  EXPECT_EQ(last_line({stopped("the time limit of 10.0 s", 1e9)}, 0),
      "hocket: 1 search: 1 stopped by the time limit of 10.0 s; A.Stopped would take days: fewer threads or "
      "steps, or --hocket_strategy=mix\n");
  EXPECT_EQ(
      last_line({stopped("the limit of 100 executions"), stopped("the memory limit of 1 000 bytes")}, 0),
      "hocket: 2 searches: 2 stopped; more for A.Stopped: --hocket_executions=N\n");
  EXPECT_EQ(last_line({stopped("SIGINT")}, 0),
      "hocket: 1 search: 1 stopped by SIGINT; what was not searched may fail: run it again\n");
}

TEST(TheLastLine, NamesTheFirstFailureBeforeAllElse) {
  SearchOutcome failed{.test = "A.Fails", .verdict = "failed"};
  EXPECT_EQ(last_line({kBounded, failed, kStrange}, 0),
      "hocket: 3 searches: 1 failed, 1 nondeterministic, 1 passed with at most 2 preemptions; A.Fails is the "
      "first that failed\n");
  failed.schedule_file = "A.Fails.schedule.json";
  EXPECT_NE(last_line({failed}, 0).find("1 failed; the first failure again:\n  "), std::string::npos);
  EXPECT_NE(last_line({failed}, 0).find("A.Fails.schedule.json"), std::string::npos);
  EXPECT_EQ(last_line({kStrange}, 0),
      "hocket: 1 search: 1 nondeterministic; A.Strange depends on more than the schedule: see above\n");
}

TEST(TheLastLine, IsBrokenBetweenWordsButForTheCommand) {
  const SearchOutcome failed{
      .test = "A.Fails", .verdict = "failed", .schedule_file = std::string(80, 'x') + ".schedule.json"};
  const std::string text = last_line({failed, kBounded, kStrange, kSampled}, 80);
  EXPECT_EQ(text.find("hocket: 4 searches: 1 failed, 1 nondeterministic, 1 sampled, 1 passed with at\n"
                      "  most 2 preemptions; the first failure again:\n  "),
      0U)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(TheLastLine, ComesAfterASentenceOnTheOptionThatGoesOnAfterARace) {
  SearchOutcome failed{.test = "A.Fails", .verdict = "failed"};
  EXPECT_EQ(last_line({failed}, 0), "hocket: 1 search: 1 failed; A.Fails is the first that failed\n");
  failed.ended_at_race = true;
  EXPECT_EQ(last_line({failed, kComplete}, 0),
      "A data race ends the search of its test: --hocket_keep_going looks for what else is in it.\n"
      "hocket: 2 searches: 1 failed, 1 passed in full; A.Fails is the first that failed\n");
}

TEST(TheLastLine, IsNotThereIfNothingWasSearched) {
  EXPECT_EQ(last_line({}, 0), "");
  EXPECT_EQ(last_line({{.test = "A.Replayed", .verdict = "replay failed again"}}, 0), "");
}

TEST(TheLastLine, IsMadeFromTheEntriesOfAReportFile) {
  const SearchOutcome outcome = outcome_of(nlohmann::json::parse(R"({"test": "A.B", "verdict": "stopped",
      "stopped_by": "the time limit", "unfinished": {"most_seconds_left": 12.5},
      "bounds": [{"complete": true}, {"complete": true}, {"complete": false}],
      "ended_at_race": true, "failures": [{"schedule_file": "x.json"}]})"));
  EXPECT_TRUE(outcome.ended_at_race);
  EXPECT_EQ(outcome.test, "A.B");
  EXPECT_EQ(outcome.verdict, "stopped");
  EXPECT_EQ(outcome.stopped_by, "the time limit");
  EXPECT_EQ(outcome.bound, 1U);
  EXPECT_EQ(outcome.schedule_file, "x.json");
  EXPECT_EQ(outcome.seconds_left, 12.5);
}

TEST(StatusLine, IsALineOfItsOwnEveryHalfMinuteWhereThereIsNoTerminal) {
  CaptureStderr();  // into a file
  StatusLine line;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(line.is_on_terminal());
  EXPECT_FALSE(line.is_due(begin + 29s));
  EXPECT_TRUE(line.is_due(begin + 31s));
  line.show("a million executions", begin + 31s);
  EXPECT_FALSE(line.is_due(begin + 60s));
  EXPECT_TRUE(line.is_due(begin + 61s));
  line.show("two million", begin + 61s);
  line.leave("bound 1 done");
  line.clear();
  EXPECT_EQ(GetCapturedStderr(), "a million executions\ntwo million\nbound 1 done\n");
}

TEST(StatusLine, IsNotWrittenForAShortSearch) {
  CaptureStderr();
  {
    StatusLine line;
    line.leave("bound 0 done");
    line.clear();
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

}  // namespace

}  // namespace hocket::test
