// What is said of the bounds of a search: of each in the table, and of one in whose middle the search was
// stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "scheduler/api/bound_text.hpp"
#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Report unfinished(const BoundEstimate& estimate) {
  Report report;
  report.bounds.resize(estimate.bound + std::size_t{1});
  report.unfinished = estimate;
  return report;
}

TEST(TheTextOfAnUnfinishedBound, SaysHowMuchIsDoneAndHowLongTheRestTakes) {
  const BoundEstimate estimate{
      .bound = 2, .runs = 41'200, .share = 0.349, .least = 95'123, .most = 212'300, .seconds = 10};
  EXPECT_EQ(estimate_text(estimate), "about 34 % done, 13.1 s to 41.5 s left");
  EXPECT_EQ(unfinished_bound_text(unfinished(estimate)),
      "The bound of 2 preemptions is about 34 % done: 41 200 of probably 95 000 to 210 000 executions; the "
      "rest would take 13.1 s to 41.5 s.\n");
}

TEST(TheTextOfAnUnfinishedBound, SaysWhatHelpsWhereEvenTheOrdersWithoutPreemptionsAreTooMany) {
  const std::string text = unfinished_bound_text(unfinished({.bound = 0,
      .runs = 1000,
      .share = 1e-9,
      .least = 1'000'000'000,
      .most = 4'000'000'000,
      .seconds = 60}));
  EXPECT_THAT(text, StartsWith("The bound of 0 preemptions is less than 1 % done: 1 000 of probably"));
  EXPECT_THAT(text, HasSubstr("\nEven without preemptions there are too many orders. Fewer threads"));
}

TEST(TheTextOfAnUnfinishedBound, IsThereIfALimitEndsTheSearchAndOnlyThen) {
  const auto body = [] {
    atomic<int> x{0};
    in_parallel_each(4, [&](unsigned) { x.fetch_add(1), x.fetch_add(1); });
  };
  Options options = quietly("icb");
  EXPECT_FALSE(explore("all", body, options).unfinished.has_value());
  options.max_executions = 100;
  const Report stopped = explore("some", body, options);
  ASSERT_TRUE(stopped.unfinished.has_value());
  EXPECT_EQ(stopped.unfinished->runs, stopped.bounds.back().executions);
  EXPECT_THAT(to_text(stopped), HasSubstr("\nThe bound of 1 preemption is about "));
  EXPECT_THAT(unfinished_bound_text(Report{}), IsEmpty());
}

TEST(TheTableOfBounds, FoldsManyBoundsAndShowsTheFirstTheLastAndThoseThatFail) {
  Report report;
  report.bounds.resize(120, {.executions = 2, .classes = 1, .failures = 0, .complete = true});
  report.bounds[60].failures = 1;
  report.bounds[119].complete = false;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("\n            3             2           1         0\n"
                              "      4 to 59           112          56         0\n"
                              "           60             2           1         1\n"
                              "    61 to 117           114          57         0\n"
                              "          118             2           1         0\n"
                              "          119             2           1         0   not all\n"));
}

TEST(TheTableOfBounds, ShowsAFewBoundsInFull) {
  Report report;
  report.bounds.resize(16, {.executions = 2, .classes = 1, .failures = 0, .complete = true});
  EXPECT_THAT(to_text(report), Not(HasSubstr(" to ")));
}

}  // namespace

}  // namespace hocket::test
