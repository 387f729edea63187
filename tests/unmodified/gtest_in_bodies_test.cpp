// GoogleTest's assertions in bodies: the locks that it takes to report one are none of the body's.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <hocket/gtest.hpp>

#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(AnAssertionThatFails, AddsNothingToTheSchedule) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    hocket::Options options = quietly();
    options.try_saved = false;
    hocket::testing::run_test(
        "Body", "Expects", [] { in_parallel([] { EXPECT_EQ(1 + 1, 3); }); }, options);
  }
  ASSERT_EQ(results.size(), 1);
  const std::string report = results.GetTestPartResult(0).message();
  EXPECT_NE(report.find("Expected equality of these values"), std::string::npos) << report;
  EXPECT_EQ(report.find("mutex."), std::string::npos) << report;
}

}  // namespace

}  // namespace unmodified
