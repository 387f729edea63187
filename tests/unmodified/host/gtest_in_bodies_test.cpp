// GoogleTest's assertions in bodies: the locks that it takes to report one are none of the body's.
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <hocket/gtest.hpp>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

std::string assertion_of(void (*body)()) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    hocket::testing::run_test("Body", "Expects", body, quietly());
  }
  return results.size() == 1 ? results.GetTestPartResult(0).message() : "";
}

TEST(AnAssertionThatFails, AddsNothingToTheSchedule) {
  const std::string report = assertion_of([] { in_parallel([] { EXPECT_EQ(1 + 1, 3); }); });
  EXPECT_NE(report.find("Expected equality of these values"), std::string::npos) << report;
  EXPECT_EQ(report.find("mutex."), std::string::npos) << report;
}

TEST(AnAssertionThatFails, FailsTheExecutionWhoeverBeganTheSearch) {
  const Report report = report_of(quietly(), [] { in_parallel([] { EXPECT_EQ(1 + 1, 3); }); });
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_NE(report.failures.at(0).message.find("Expected equality of these values"), std::string::npos)
      << report;
}

TEST(ASkipInABody, SkipsTheTestWhoeverBeganTheSearch) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    report_of(quietly(), [] { GTEST_SKIP() << "not today"; });
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
  EXPECT_STREQ(results.GetTestPartResult(0).message(), "not today");
}

class AFixture : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { values_.push_back(GetParam()); }
  void TearDown() override { EXPECT_EQ(values_, std::vector<int>{GetParam()}); }

  std::vector<int> values_;
  std::mutex mutex_;
};

TEST_P(AFixture, MayBeUsedInABodyAndIsAsSetUpHasLeftItInEachExecution) {
  hocket::testing::explore(
      [this] {
        EXPECT_EQ(values_.size(), 1U);
        const auto add = [this] {
          const std::lock_guard lock(mutex_);
          values_.push_back(GetParam());
        };
        in_parallel(add, add);
        EXPECT_EQ(values_.size(), 3U);
      },
      quietly());
}

TEST_P(AFixture, FailsByAnAssertionInABody) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    hocket::testing::explore([this] { ASSERT_EQ(values_.size(), 2U); }, quietly());
  }
  ASSERT_EQ(results.size(), 1);
  const std::string report = results.GetTestPartResult(0).message();
  EXPECT_NE(report.find("AFixture.FailsByAnAssertionInABody"), std::string::npos) << report;
  EXPECT_NE(report.find("values_.size()"), std::string::npos) << report;
}

INSTANTIATE_TEST_SUITE_P(Numbers, AFixture, ::testing::Values(1, 2));

TEST(AnAssertionThatFails, ShowsTheScopedTracesOfItsThread) {
  const std::string report = assertion_of([] {
    SCOPED_TRACE("of the body");
    std::thread other([] {
      SCOPED_TRACE("of the thread");
      EXPECT_EQ(1 + 1, 3);
    });
    other.join();
  });
  EXPECT_NE(report.find("of the thread"), std::string::npos) << report;
  EXPECT_EQ(report.find("of the body"), std::string::npos) << report;
  EXPECT_EQ(report.find("mutex."), std::string::npos) << report;
}

}  // namespace

}  // namespace unmodified
