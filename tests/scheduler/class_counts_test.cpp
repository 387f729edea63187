// Happens-before classes by bound, for small programs whose numbers are known, with every strategy.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/support/bodies.hpp"
#include "tests/support/counted_programs.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/expected_counts.hpp"
#include "tests/support/feedback_vertices.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

/// The longest searches would take half a minute, and with assertions and sanitizers minutes.
constexpr std::size_t kMostClasses = kRunsAllTests ? ~std::size_t{0} : kIsSlow ? 5'000 : 20'000;

class ClassCounts : public ::testing::TestWithParam<Program> {
 protected:
  /// The last bound of a reduction, which gets to the end of every row.
  [[nodiscard]] static unsigned last_bound() {
    return GetParam().classes.back() <= kMostClasses ? unbounded : GetParam().about.last_bound_of_icb;
  }
};

TEST_P(ClassCounts, OfIcbAreThoseOfTheTableAtEveryBound) {
  expect_the_counts_of(GetParam(), GetParam().body, "icb", GetParam().about.last_bound_of_icb,
      GetParam().about.one_execution_a_class);
}

TEST_P(ClassCounts, OfHbCacheAreThoseOfTheTableToTheLastBound) {
  expect_the_counts_of(
      GetParam(), GetParam().body, "hb-cache", last_bound(), GetParam().about.one_execution_a_class);
}

TEST_P(ClassCounts, OfCbPorAreThoseOfTheTableWithOneExecutionEach) {
  expect_the_counts_of(GetParam(), GetParam().body, "cb-por", last_bound(), true);
}

TEST_P(ClassCounts, OfCbPorBasicAreThoseOfTheTableWithOneExecutionEach) {
  const unsigned bound = GetParam().classes.back() <= 20'000 ? unbounded : GetParam().about.last_bound_of_icb;
  expect_the_counts_of(GetParam(), GetParam().body, "cb-por-basic", bound, true);
}

TEST_P(ClassCounts, AreTheSameForThreadsAroundTheSixtyFourth) {
  const auto body = [] {
    for (int n = 0; n < 62; ++n) thread([] {}).join();
    GetParam().body();
  };
  // What a set of more than 64 threads gets wrong shows at the first bounds.
  constexpr unsigned kShort = 2;
  const bool is_short =
      !kRunsAllTests && GetParam().about.deadlocked_classes == 0 && GetParam().classes.size() > kShort + 2;
  expect_the_counts_of(GetParam(), body, "icb", is_short ? kShort : GetParam().about.last_bound_of_icb,
      GetParam().about.one_execution_a_class);
  if (GetParam().classes.back() <= 300) expect_the_counts_of(GetParam(), body, "cb-por", unbounded, true);
}

/// Those that have no bounds meet the classes all the same.
TEST_P(ClassCounts, InAllAreThoseOfTheTableWithSleepSets) {
  const bool is_cut_off = GetParam().classes.back() > kMostClasses;
  for (const char* strategy : {"dfs-sleep", "dpor"}) {
    SCOPED_TRACE(strategy);
    Options options = quietly(strategy);
    options.max_executions = is_cut_off ? kMostClasses : 0;
    options.keep_going = GetParam().about.deadlocked_classes != 0;
    const Report report = explore(GetParam().name, GetParam().body, options);
    EXPECT_EQ(report.classes, is_cut_off ? kMostClasses : GetParam().classes.back());
    EXPECT_EQ(report.failed_classes, GetParam().about.deadlocked_classes);
    EXPECT_EQ(report.executions, report.classes + report.failed_classes) << "a class is run twice";
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ClassCounts, ::testing::ValuesIn(programs<HocketTypes>()), RowName());

class ClassCountsOfBlocking : public ::testing::TestWithParam<Program> {};

TEST_P(ClassCountsOfBlocking, AreThoseOfTheTableWithEveryStrategyThatIsCompleteWithinEachBound) {
  for (const char* const strategy : {"icb", "hb-cache", "icb-por"})
    expect_the_counts_of(GetParam(), GetParam().body, strategy, unbounded, false);
  for (const char* const strategy : {"cb-por", "cb-por-basic"})
    expect_the_counts_of(GetParam(), GetParam().body, strategy, unbounded, true);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ClassCountsOfBlocking, ::testing::ValuesIn(blocking_programs<HocketTypes>()), RowName());

TEST(TheBoundOfAClass, IsTheLeastFeedbackVertexSetInHardInstances) {
  for (unsigned vertices = 1; vertices <= 4; ++vertices) {
    const std::uint64_t all = std::uint64_t{1} << (vertices * (vertices - 1));
    for (std::uint64_t mask = 0; mask < all; ++mask) {
      const test::Digraph graph = test::digraph(vertices, mask);
      EXPECT_EQ(test::cost_of_hard_class(graph).preemptions, test::least_feedback_vertices(graph))
          << vertices << " vertices, edges " << mask;
    }
  }
}

TEST(TheBoundOfAClass, CanBeLessThanThatOfAPrefix) {
  // Two threads have only stored, while a third one has ended: that takes a preemption of one of them. When
  // all are at their ends, each may have run without one.
  const test::ClassCost cost = test::cost_of_hard_class({3, {{0, 1}, {2, 0}}});
  EXPECT_EQ(cost.preemptions, 0U);
  EXPECT_EQ(cost.most_before, 1U);
}

}  // namespace

}  // namespace hocket::test
