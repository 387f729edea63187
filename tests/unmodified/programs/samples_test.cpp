// The sample programs with the standard's types in place of Hocket's: the same is found.
#include "unmodified_samples/channel.hpp"
#include "unmodified_samples/work_stealing_queue.hpp"

#include <cstdint>
#include <vector>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using samples::ChannelSeed;
using samples::run_workers;
using samples::StealingSeed;
using samples::StealingSetup;
using samples::test_channel;

std::vector<std::uint64_t> classes_by_bound(const StealingSetup& setup, unsigned last_bound) {
  std::vector<std::uint64_t> classes;
  const Report report = explored(within(last_bound), [&setup] { run_workers<StealingSeed::none>(setup); });
  for (const hocket::BoundReport& bound : report.bounds) classes.push_back(bound.classes);
  return classes;
}

TEST(TheWorkStealingQueueOfStdTypes, HasTheClassesOfTheSampleAtEveryBound) {
  using Counts = std::vector<std::uint64_t>;
  EXPECT_EQ(classes_by_bound({.slots = 2, .items = 4, .thieves = 1, .attempts = 2}, 4),
      (Counts{1, 21, 102, 382, 498}));
  EXPECT_EQ(classes_by_bound({.slots = 2, .items = 4, .thieves = 2, .attempts = 1}, 2), (Counts{2, 84, 578}));
}

TEST(TheWorkStealingQueueOfStdTypes, FailsAtTheBoundsOfTheSample) {
  // The notes of what has been taken are plain data there, for which owner and thief race.
  const auto workers = [](auto seed) { return [] { run_workers<decltype(seed)::value>({}); }; };
  using Pop = std::integral_constant<StealingSeed, StealingSeed::pop_looks_before_it_claims>;
  using Steal = std::integral_constant<StealingSeed, StealingSeed::steal_looks_before_it_claims>;
  using Slot = std::integral_constant<StealingSeed, StealingSeed::no_spare_slot>;
  expect_failure(FailureKind::data_race, 1, "", workers(Pop()));
  expect_failure(FailureKind::data_race, 2, "", workers(Steal()));
  expect_failure(FailureKind::data_race, 2, "", workers(Slot()));
}

TEST(TheChannelOfStdTypes, IsClosedAndDeletedSafely) {
  explored(within(1), [] { test_channel<ChannelSeed::none>(2); });
}

template <ChannelSeed seed>
void expect_channel_to_fail(FailureKind kind, unsigned bound) {
  const FoundFailure failure = failure_of([] { test_channel<seed>(); }, within(bound));
  EXPECT_EQ(to_string(failure.kind), to_string(kind)) << failure.message;
  EXPECT_EQ(failure.bound, bound);
}

TEST(TheChannelOfStdTypes, LosesItsBacklogWithoutAPreemptionAsTheSampleDoes) {
  expect_channel_to_fail<ChannelSeed::lost_backlog>(FailureKind::deadlock, 0);
}

TEST(TheChannelOfStdTypes, IsUsedAfterItIsDeletedWithOnePreemptionAsTheSampleIs) {
  expect_channel_to_fail<ChannelSeed::use_after_free>(FailureKind::data_race, 1);
}

TEST(TheChannelOfStdTypes, CountsItsWorkersWronglyWithOnePreemptionAsTheSampleDoes) {
  expect_channel_to_fail<ChannelSeed::racy_count_down>(FailureKind::deadlock, 1);
}

}  // namespace

}  // namespace unmodified
