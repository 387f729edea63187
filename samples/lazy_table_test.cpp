// Which ways to publish a table made on demand are free of data races.
#include "samples/lazy_table.hpp"

#include <gtest/gtest.h>

#include "samples/expect_bound.hpp"

namespace {

using hocket::FailureKind;
using samples::LazySeed;
using samples::test_lazy_table;

TEST(CorrectLazyTable, DoesNotRaceWithAcquireAndRelease) {
  samples::expect_pass_exhaustively([] { test_lazy_table<LazySeed::none>(); });
  samples::expect_pass_within(2, [] { test_lazy_table<LazySeed::none>(3); });
}

TEST(CorrectLazyTable, DoesNotRaceWithFences) {
  samples::expect_pass_exhaustively([] { test_lazy_table<LazySeed::none_with_fences>(); });
}

TEST(SeededLazyTable, RacesWithoutAPreemptionWhenItPublishesRelaxed) {
  samples::expect_failure_at(0, FailureKind::data_race, "with memory_order_release",
      [] { test_lazy_table<LazySeed::relaxed_publication>(); });
}

TEST(SeededLazyTable, RacesWithoutAPreemptionWhenItLooksRelaxed) {
  samples::expect_failure_at(0, FailureKind::data_race, "with memory_order_acquire",
      [] { test_lazy_table<LazySeed::relaxed_look>(); });
}

TEST(SeededLazyTable, RacesWithoutAPreemptionWhenEveryThreadHasAMutexOfItsOwn) {
  samples::expect_failure_at(
      0, FailureKind::data_race, "uses", [] { test_lazy_table<LazySeed::wrong_mutex>(); });
}

}  // namespace
