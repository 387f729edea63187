// Checks, assertions of GoogleTest, and what the body prints.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdio>

#include <hocket/gtest.hpp>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

TEST(FailedCheck, NamesTheMessageThePlaceTheBoundAndTheExecutionsBefore) {
  int line = 0;
  const Report report = report_of(exhaustively(), [&] {
    atomic<int> x{0};
    const auto increment = [&] { x.store(x.load() + 1); };
    in_parallel(increment, increment);
    line = __LINE__ + 1;
    check(x.load() == 2, "an increment is lost");
  });
  ASSERT_EQ(report.verdict, Verdict::failed);
  ASSERT_EQ(report.failures.size(), 1U);
  const FoundFailure& failure = report.failures[0];
  EXPECT_EQ(failure.kind, FailureKind::check);
  EXPECT_EQ(failure.message, "an increment is lost");
  EXPECT_EQ(failure.where, place(line));
  EXPECT_EQ(failure.bound, 1U);
  EXPECT_EQ(failure.executions, report.executions - 1);
  EXPECT_EQ(report.bounds.at(0).executions, 2U);
  EXPECT_EQ(report.bounds.at(0).failures, 0U);
}

TEST(FailedCheck, EndsItsExecutionThere) {
  bool went_on = false;
  failure_of([&] {
    check(false);
    went_on = true;
  });
  EXPECT_FALSE(went_on);
}

TEST(FailedCheckDeathTest, OutsideAnyBodyPrintsAndAborts) {
  EXPECT_DEATH(check(1 + 1 == 3, "arithmetic"),
      "hocket: check failed outside a body, at .*assertions_test.cpp:[0-9]+: arithmetic");
}

void expect_in_a_thread() {
  thread([] { EXPECT_EQ(1 + 1, 3) << "sums"; }).join();
}
void assert_in_a_thread() {
  thread([] {
    ASSERT_TRUE(false) << "stop here";
    check(false, "went on");
  }).join();
}
void add_failure_in_the_body() {
  ADD_FAILURE() << "in the body";
}
void expect_in_each_thread() {
  in_parallel(
      [] { EXPECT_TRUE(false) << "the first thread"; }, [] { EXPECT_TRUE(false) << "the second thread"; });
}
void expect_in_scopes() {
  SCOPED_TRACE("of the body");
  atomic<int> x{0};
  in_parallel(
      [&] {
        SCOPED_TRACE("of the first thread");
        x.fetch_add(1);
      },
      [&] {
        SCOPED_TRACE("of the second thread");
        x.fetch_add(1);
        EXPECT_EQ(x.load(), 0) << "a sum";
      });
}
void lose_an_increment() {
  atomic<int> x{0};
  const auto increment = [&] { x.store(x.load() + 1); };
  in_parallel(increment, increment);
  EXPECT_EQ(x.load(), 2);
}
void deadlock_in_a_test() {
  atomic<int>(0).wait(0);
}

TEST(Assertions, ThatFailInAnyThreadFailTheTest) {
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Expect", expect_in_a_thread, quietly()), "sums");
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Assert", assert_in_a_thread, quietly()), "stop here");
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Body", add_failure_in_the_body, quietly()), "in the body");
  EXPECT_FATAL_FAILURE(testing::run_test("A", "Both", expect_in_each_thread, quietly()), "the first thread");
}

TEST(Assertions, ShowTheScopedTracesOfTheirThread) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    testing::run_test("A", "Scopes", expect_in_scopes, quietly());
  }
  ASSERT_EQ(results.size(), 1);
  const std::string report = results.GetTestPartResult(0).message();
  EXPECT_THAT(report, ::testing::HasSubstr("a sum\n  Google Test trace:\n"));
  EXPECT_THAT(report, ::testing::HasSubstr(": of the second thread\n"));
  EXPECT_THAT(report, ::testing::Not(::testing::HasSubstr("of the first thread")));
  EXPECT_THAT(report, ::testing::Not(::testing::HasSubstr("of the body")));
}

TEST(Assertions, ReportTheBoundAtWhichTheyFirstFail) {
  EXPECT_FATAL_FAILURE(
      testing::run_test("A", "Lost", lose_an_increment, quietly()), "Found with 1 preemption");
}

TEST(Assertions, AreNotTheOnlyWayToFailATest) {
  EXPECT_FATAL_FAILURE(
      testing::run_test("A", "Deadlock", deadlock_in_a_test, quietly()), "no thread can continue");
}

TEST(Assertions, ThatHoldLetTheTestPass) {
  testing::run_test(
      "A", "Passes",
      [] {
        atomic<int> x{0};
        in_parallel([&] { EXPECT_GE(x.fetch_add(1), 0); }, [&] { ASSERT_LE(x.fetch_add(1), 1); });
        EXPECT_EQ(x.load(), 2);
      },
      exhaustively());
}

TEST(Assertions, ThatSkipTheTestInsideItsBodySkipItAtTheirPlace) {
  ::testing::TestPartResultArray results;
  int line = 0;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    line = __LINE__ + 1;
    const auto skips = [] { GTEST_SKIP() << "not on this machine"; };
    testing::run_test("A", "Skips", skips, quietly());
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
  EXPECT_STREQ(results.GetTestPartResult(0).message(), "not on this machine");
  EXPECT_EQ(results.GetTestPartResult(0).line_number(), line) << results.GetTestPartResult(0);
  EXPECT_STREQ(results.GetTestPartResult(0).file_name(), __FILE__);
}

HOCKET_TEST(HocketTest, RunsItsBodyUnderEverySchedule) {
  atomic<int> x{0};
  in_parallel([&] { x.fetch_add(1); }, [&] { x.fetch_add(1); });
  EXPECT_EQ(x.load(), 2);
}

HOCKET_TEST_WITH(HocketTest, TakesOptions, {.strategy = "random", .max_executions = 10, .try_saved = false}) {
  ASSERT_LT(choose(3), 3U);
}

TEST(Output, OfTheBodyIsKeptForTheFailingExecutionOnly) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1); }, [&] { x.store(2); });
    std::printf("x is %d\n", x.load());
    check(x.load() == 2, "the other order");
  });
  EXPECT_EQ(failure.output, "x is 1\n");
}

}  // namespace

}  // namespace hocket::test
