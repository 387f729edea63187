// A failure that does not depend on the order of threads is told as such.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "scheduler/schedules/schedule.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUnderEvery =
    "\nIt fails under every schedule that was tried (11): the order of its threads is hardly the cause.\n";
constexpr const char* kTried = "schedule that was tried";

/// Stores 1 and 2, so that the value at the end says which thread came last.
int last_of_two_threads() {
  atomic<int> last{0};
  in_parallel([&] { last.store(1); }, [&] { last.store(2); });
  return last.load();
}

void fail_always() {
  check(last_of_two_threads() == 3, "never three");
}

TEST(AFailureUnderEverySchedule, IsToldAboveTheSteps) {
  const std::string text = to_text(explore("always", &fail_always, quietly()));
  EXPECT_THAT(text, HasSubstr(kUnderEvery));
  EXPECT_LT(text.find(kUnderEvery), text.find("\nstep  main"));
}

TEST(AFailureUnderEverySchedule, IsToldFromItsFileAndWhenItComesAgain) {
  const Folder folder;
  Options options{.schedule_dir = folder.path().string(), .try_saved = false};
  const Report report = explore("always", &fail_always, options);
  options.replay = report.failures.at(0).schedule_file;
  EXPECT_EQ(read_schedule(options.replay).schedules_tried, 11U);
  EXPECT_THAT(to_text(explore("always", &fail_always, options)), HasSubstr(kUnderEvery));
  const auto fails_otherwise = [] { check(last_of_two_threads() == 4, "never four"); };
  const Report other = explore("always", fails_otherwise, options);
  EXPECT_THAT(to_text(other), Not(HasSubstr(kTried)));
}

TEST(AFailureUnderEverySchedule, IsNotOneThatOnlyTheFirstScheduleShows) {
  const auto body = [] { check(last_of_two_threads() == 1, "thread 2 came last"); };
  const Report report = explore("first only", body, quietly());
  ASSERT_EQ(report.failures.at(0).executions, 0U);
  EXPECT_THAT(to_text(report), Not(HasSubstr(kTried)));
}

TEST(AFailureUnderEverySchedule, IsNotOneThatOtherFailuresReplace) {
  const auto body = [] {
    if (last_of_two_threads() == 1) throw std::runtime_error("thread 1 came last");
    check(false, "thread 2 came last");
  };
  const Report report = explore("in two ways", body, quietly());
  ASSERT_EQ(report.failures.at(0).executions, 0U);
  EXPECT_THAT(to_text(report), Not(HasSubstr(kTried)));
}

TEST(AFailureUnderEverySchedule, IsNoDataRaceWhichWouldBeFoundInEachSchedule) {
  const auto body = [] {
    var<int> total{0};
    in_parallel([&] { total = 1; }, [&] { total = 2; });
  };
  const Report report = explore("race", body, quietly());
  ASSERT_EQ(report.failures.at(0).kind, FailureKind::data_race);
  EXPECT_THAT(to_text(report), Not(HasSubstr(kTried)));
}

TEST(AFailureUnderEverySchedule, IsNotLookedForIfASearchMayNotMinimize) {
  EXPECT_THAT(to_text(explore("always", &fail_always, quietly({.minimize = std::chrono::seconds(0)}))),
      Not(HasSubstr(kTried)));
}

TEST(AFailureUnderEverySchedule, IsFoundBySamplesWhoseSchedulesHavePreemptions) {
  EXPECT_THAT(to_text(explore("always", &fail_always, quietly("random"))), HasSubstr(kUnderEvery));
}

TEST(AFailureWithoutASecondThread, NeedsNoConcurrency) {
  const auto body = [] {
    atomic<int> value{1};
    check(value.load() == 2, "not two");
    in_parallel([] {}, [] {});
  };
  const std::string text = to_text(explore("alone", body, quietly()));
  EXPECT_THAT(text, HasSubstr("\nOnly main runs: this failure needs no concurrency.\n"));
  EXPECT_THAT(text, Not(HasSubstr(kTried)));
}

}  // namespace

}  // namespace hocket::test
