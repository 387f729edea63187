// Tests what iterative context bounding finds in the channel and with how many preemptions, and that
// depth-first search does not find the use-after-free of Musuvathi and Qadeer 2007, Figure 4.
#include "samples/channel.hpp"

#include <gtest/gtest.h>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "samples/expect_bound.hpp"

namespace {

using hocket::FailureKind;
using samples::ChannelSeed;
using samples::explore;
using samples::options;
using samples::test_channel;

struct Switches {
  unsigned preempting = 0;
  unsigned free = 0;
};

/// Counts how often consecutive steps are made by different threads.
Switches count_switches(const hocket::Schedule& schedule) {
  Switches switches;
  const hocket::runtime::RecordedChoice* previous = nullptr;
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
  samples::expect_pass_within(3, [] { test_channel<ChannelSeed::none>(); });
}

TEST(SeededChannel, IsUsedAfterItIsDeletedWithOnePreemptionAndAtLeastSixFreeSwitches) {
  const hocket::Report report = samples::expect_failure_at(1, FailureKind::use_after_destruction,
      "worker 1 is about to perform mutex.lock on it", [] { test_channel<ChannelSeed::use_after_free>(); });
  ASSERT_EQ(report.failures.size(), 1U);
  ASSERT_NE(report.failures[0].schedule, nullptr);
  const Switches switches = count_switches(*report.failures[0].schedule);
  EXPECT_EQ(switches.preempting, 1U) << report;
  EXPECT_GE(switches.free, 6U) << report;
}

TEST(SeededChannel, FailsInNoOtherWayWithOnePreemptionThanByItsUseAfterFree) {
  const hocket::Report report = explore([] { test_channel<ChannelSeed::use_after_free>(); },
      {.max_preemptions = 1, .keep_going = true, .try_saved = false, .save_schedules = false});
  EXPECT_EQ(report.verdict, hocket::Verdict::failed) << report;
  ASSERT_FALSE(report.failures.empty()) << report;
  for (const hocket::FoundFailure& failure : report.failures) {
    EXPECT_EQ(failure.kind, FailureKind::use_after_destruction) << report;
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
  samples::expect_failure_at(0, FailureKind::deadlock, "application waits for interrupts",
      [] { test_channel<ChannelSeed::lost_backlog>(); });
}

TEST(SeededChannel, NeverClosesWithOnePreemptionWhenTheCountDownIsRacy) {
  samples::expect_failure_at(1, FailureKind::deadlock, "waits for channel closed",
      [] { test_channel<ChannelSeed::racy_count_down>(); });
}

}  // namespace
