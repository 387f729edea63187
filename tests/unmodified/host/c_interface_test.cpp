#include "c_body.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <hocket/hocket.hpp>
#include "scheduler/schedules/schedule.hpp"

namespace {

TEST(TheInterfaceForC, ChecksAssumesChoosesAndNames) {
  const hocket::Report report = hocket::explore("c", &c_body, {.save_schedules = false});
  ASSERT_TRUE(report.failed()) << report;
  EXPECT_EQ(report.dropped, 1U) << "the execution with one thread";
  const hocket::FoundFailure& failure = report.failures.front();
  EXPECT_EQ(failure.kind, hocket::runtime::FailureKind::check);
  EXPECT_EQ(failure.message, "an increment is lost");
  EXPECT_EQ(failure.where, "c_body.c:23");
  EXPECT_EQ(failure.bound, 1U);
  ASSERT_NE(failure.schedule, nullptr);
  EXPECT_EQ(failure.schedule->threads.front().label, "counting");
  const auto& choices = failure.schedule->choices;
  EXPECT_TRUE(std::any_of(choices.begin(), choices.end(), [](const auto& choice) {
    return choice.object == "the counter";
  })) << report;
}

}  // namespace
