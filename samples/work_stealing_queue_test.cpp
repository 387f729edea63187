// What iterative context bounding finds in the work-stealing queue, and with how many preemptions: one bug
// with one and two with two, as in Musuvathi and Qadeer 2007, Table 2.
#include "samples/work_stealing_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <hocket/hocket.hpp>

namespace {

using samples::run_workers;
using samples::StealingSeed;
using samples::StealingSetup;

hocket::Report explore(const std::function<void()>& body, unsigned max_preemptions) {
  hocket::Options options;
  options.max_preemptions = max_preemptions;
  options.save_schedules = false;
  options.try_saved = false;
  return hocket::explore("work stealing queue", body, options);
}

template <StealingSeed seed>
std::function<void()> workers(const StealingSetup& setup = {}) {
  return [setup] { run_workers<seed>(setup); };
}

/// The first failure is an item taken twice, with so many preemptions, and everything with fewer passes.
void expect_item_taken_twice(const std::function<void()>& body, unsigned bound) {
  const hocket::Report report = explore(body, 3);
  EXPECT_EQ(report.verdict, hocket::Verdict::failed);
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_EQ(report.failures[0].kind, hocket::FailureKind::check) << report;
  EXPECT_NE(report.failures[0].message.find("was taken twice"), std::string::npos) << report;
  EXPECT_EQ(report.failures[0].bound, bound) << report;
  ASSERT_EQ(report.bounds.size(), bound + 1) << report;
  for (unsigned lower = 0; lower < bound; ++lower) {
    EXPECT_TRUE(report.bounds[lower].complete) << report;
    EXPECT_EQ(report.bounds[lower].failures, 0U) << report;
  }
}

struct Row {
  const char* name;
  StealingSetup setup;
  unsigned bound;
};

class CorrectWorkStealingQueue : public testing::TestWithParam<Row> {};

TEST_P(CorrectWorkStealingQueue, GivesEveryItemToExactlyOneThreadWithinTheBound) {
  const auto& [name, setup, bound] = GetParam();
  const hocket::Report report = explore(workers<StealingSeed::none>(setup), bound);
  EXPECT_EQ(report.verdict, hocket::Verdict::passed_within_bound) << report;
  ASSERT_EQ(report.bounds.size(), bound + 1) << report;
  for (const hocket::BoundReport& at : report.bounds) EXPECT_TRUE(at.complete) << report;
}

INSTANTIATE_TEST_SUITE_P(Samples, CorrectWorkStealingQueue,
    testing::Values(  //
        Row{"OneThief", {.slots = 2, .items = 4, .thieves = 1, .attempts = 1}, 4},
        Row{"OneThiefThatComesTwice", {.slots = 2, .items = 4, .thieves = 1, .attempts = 2}, 4},
        Row{"TwoThieves", {.slots = 2, .items = 4, .thieves = 2, .attempts = 1}, 3},
        Row{"TwoThievesAndMoreSlots", {.slots = 3, .items = 5, .thieves = 2, .attempts = 2}, 3}),
    [](const auto& row) { return row.param.name; });

TEST(SeededWorkStealingQueue, LosesToAThiefWithOnePreemptionWhenTheOwnerLooksBeforeItClaims) {
  expect_item_taken_twice(workers<StealingSeed::pop_looks_before_it_claims>(), 1);
}

TEST(SeededWorkStealingQueue, LosesToTheOwnerWithTwoPreemptionsWhenAThiefLooksBeforeItClaims) {
  expect_item_taken_twice(workers<StealingSeed::steal_looks_before_it_claims>(), 2);
}

TEST(SeededWorkStealingQueue, IsPushedOverWithTwoPreemptionsWhenItHasNoSpareSlot) {
  expect_item_taken_twice(workers<StealingSeed::no_spare_slot>(), 2);
}

TEST(SeededWorkStealingQueue, FailsAtTheSameBoundsWithTwoThieves) {
  const StealingSetup setup{.slots = 2, .items = 4, .thieves = 2, .attempts = 1};
  expect_item_taken_twice(workers<StealingSeed::pop_looks_before_it_claims>(setup), 1);
  expect_item_taken_twice(workers<StealingSeed::steal_looks_before_it_claims>(setup), 2);
  expect_item_taken_twice(workers<StealingSeed::no_spare_slot>(setup), 2);
}

}  // namespace
