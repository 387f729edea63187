// Tests what iterative context bounding finds in the work-stealing queue and with how many preemptions: one
// bug needs one and two bugs need two, as in Musuvathi and Qadeer 2007, Table 2.
#include "samples/work_stealing_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <vector>

#include "samples/expect_bound.hpp"

namespace {

using samples::run_workers;
using samples::StealingSeed;
using samples::StealingSetup;

template <StealingSeed seed>
std::function<void()> workers(const StealingSetup& setup = {}) {
  return [setup] { run_workers<seed>(setup); };
}

void expect_item_taken_twice(const std::function<void()>& body, unsigned bound) {
  samples::expect_failure_at(bound, hocket::FailureKind::check, "was taken twice", body);
}

struct Row {
  const char* name;
  StealingSetup setup;
  unsigned bound;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }
};

class CorrectWorkStealingQueue : public testing::TestWithParam<Row> {};

TEST_P(CorrectWorkStealingQueue, GivesEveryItemToExactlyOneThreadWithinTheBound) {
  const auto& [name, setup, bound] = GetParam();
  samples::expect_pass_within(bound, workers<StealingSeed::none>(setup));
}

INSTANTIATE_TEST_SUITE_P(Samples, CorrectWorkStealingQueue,
    testing::Values(  //
        Row{"OneThief", {.slots = 2, .items = 4, .thieves = 1, .attempts = 1}, 4},
        Row{"OneThiefThatComesTwice", {.slots = 2, .items = 4, .thieves = 1, .attempts = 2}, 4},
        Row{"TwoThieves", {.slots = 2, .items = 4, .thieves = 2, .attempts = 1}, 3},
        Row{"TwoThievesAndMoreSlots", {.slots = 3, .items = 5, .thieves = 2, .attempts = 2}, 3}),
    [](const auto& row) { return row.param.name; });

// The same program written with the standard types has as many classes; see tests/unmodified.
TEST(TheClassesOfTheWorkStealingQueue, AreCountedByBound) {
  const auto classes = [](const StealingSetup& setup, unsigned bound) {
    std::vector<std::uint64_t> counts;
    const hocket::Report report =
        samples::explore(workers<StealingSeed::none>(setup), samples::options(bound));
    for (const hocket::BoundReport& at : report.bounds) counts.push_back(at.classes);
    return counts;
  };
  using Counts = std::vector<std::uint64_t>;
  EXPECT_EQ(
      classes({.slots = 2, .items = 4, .thieves = 1, .attempts = 2}, 4), (Counts{1, 21, 102, 382, 498}));
  EXPECT_EQ(classes({.slots = 2, .items = 4, .thieves = 2, .attempts = 1}, 2), (Counts{2, 84, 578}));
}

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
