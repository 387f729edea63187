// What iterative context bounding finds in the channel, and with how many preemptions; and that depth-first
// search does not find the use-after-free of Musuvathi and Qadeer 2007, Figure 4.
#include "samples/channel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <hocket/hocket.hpp>
#include <hocket/scheduler/schedule.hpp>

namespace {

using samples::ChannelSeed;
using samples::test_channel;

hocket::Options options(unsigned max_preemptions) {
  hocket::Options options;
  options.max_preemptions = max_preemptions;
  options.save_schedules = false;
  options.try_saved = false;
  return options;
}

hocket::Report explore(const std::function<void()>& body, const hocket::Options& with) {
  return hocket::explore("channel", body, with);
}

/// The first failure needs so many preemptions: everything with fewer passes.
void expect_first_failure(const hocket::Report& report, hocket::FailureKind kind, unsigned bound) {
  EXPECT_EQ(report.verdict, hocket::Verdict::failed);
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].kind, kind) << report;
  EXPECT_EQ(report.failures[0].bound, bound) << report;
  ASSERT_EQ(report.bounds.size(), bound + 1) << report;
  for (unsigned lower = 0; lower < bound; ++lower) {
    EXPECT_TRUE(report.bounds[lower].complete) << report;
    EXPECT_EQ(report.bounds[lower].failures, 0U) << report;
  }
}

struct Switches {
  unsigned preempting = 0;
  unsigned free = 0;
};

/// How often consecutive steps are made by different threads.
Switches count_switches(const hocket::Schedule& schedule) {
  Switches switches;
  const hocket::runtime::Trace::Choice* previous = nullptr;
  for (const auto& choice : schedule.choices) {
    if (choice.is_value) continue;
    if (previous != nullptr && choice.thread != previous->thread) {
      ++(choice.price > 0 ? switches.preempting : switches.free);
    }
    previous = &choice;
  }
  return switches;
}

TEST(CorrectChannel, IsClosedAndDeletedSafelyUnderEveryScheduleOfUpToThreePreemptions) {
  const hocket::Report report = explore([] { test_channel<ChannelSeed::none>(); }, options(3));
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_within_bound) << report;
  ASSERT_EQ(report.bounds.size(), 4U) << report;
  for (const hocket::BoundReport& at : report.bounds) EXPECT_TRUE(at.complete) << report;
}

TEST(SeededChannel, IsUsedAfterItIsDeletedWithOnePreemptionAndAtLeastSixFreeSwitches) {
  const hocket::Report report = explore([] { test_channel<ChannelSeed::use_after_free>(); }, options(3));
  expect_first_failure(report, hocket::FailureKind::use_after_destruction, 1);
  ASSERT_EQ(report.failures.size(), 1U);
  ASSERT_NE(report.failures[0].schedule, nullptr);
  const Switches switches = count_switches(*report.failures[0].schedule);
  EXPECT_EQ(switches.preempting, 1U) << report;
  EXPECT_GE(switches.free, 6U) << report;
}

TEST(SeededChannel, FailsInNoOtherWayWithOnePreemptionThanByItsUseAfterFree) {
  hocket::Options all = options(1);
  all.keep_going = true;
  const hocket::Report report = explore([] { test_channel<ChannelSeed::use_after_free>(); }, all);
  EXPECT_EQ(report.verdict, hocket::Verdict::failed) << report;
  ASSERT_FALSE(report.failures.empty()) << report;
  for (const hocket::FoundFailure& failure : report.failures) {
    EXPECT_EQ(failure.kind, hocket::FailureKind::use_after_destruction) << report;
    ASSERT_NE(failure.schedule, nullptr) << report;
    EXPECT_GE(count_switches(*failure.schedule).free, 6U) << report;
  }
}

TEST(SeededChannel, HidesItsUseAfterFreeFromAThousandTimesAsManyDepthFirstExecutions) {
  const auto body = [] { test_channel<ChannelSeed::use_after_free>(); };
  const hocket::Report bounded = explore(body, options(1));
  ASSERT_EQ(bounded.verdict, hocket::Verdict::failed) << bounded;

  hocket::Options depth_first = options(1);
  depth_first.strategy = "dfs";
  depth_first.max_executions = 1000 * bounded.executions;
  const hocket::Report report = explore(body, depth_first);
  EXPECT_EQ(report.verdict, hocket::Verdict::stopped) << report;
  EXPECT_EQ(report.executions, depth_first.max_executions) << report;
  EXPECT_TRUE(report.failures.empty()) << report;
}

TEST(SeededChannel, LeavesTheApplicationWaitingWithoutAnyPreemptionWhenItLosesTheBacklog) {
  const hocket::Report report = explore([] { test_channel<ChannelSeed::lost_backlog>(); }, options(3));
  expect_first_failure(report, hocket::FailureKind::deadlock, 0);
}

TEST(SeededChannel, NeverClosesWithOnePreemptionWhenTheCountDownIsRacy) {
  const hocket::Report report = explore([] { test_channel<ChannelSeed::racy_count_down>(); }, options(3));
  expect_first_failure(report, hocket::FailureKind::deadlock, 1);
}

}  // namespace
