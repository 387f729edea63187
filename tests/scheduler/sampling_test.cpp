// The distributions that the strategies that choose at random promise, on programs for which they can be
// computed by hand. The seeds are fixed, and the tolerances are five standard deviations or more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

constexpr unsigned kExecutions = 4000;

Options sampling(const char* strategy, std::uint64_t executions = kExecutions) {
  Options options = quietly();
  options.strategy = strategy;
  options.max_executions = executions;
  return options;
}

/// How many executions `hits` was true at the end of.
double count_hits(const char* strategy, const std::function<bool()>& hits) {
  unsigned count = 0;
  const Report report = explore(
      "hits", [&] { count += hits() ? 1 : 0; }, sampling(strategy));
  EXPECT_EQ(report.verdict, Verdict::passed_sample) << strategy << report;
  EXPECT_EQ(report.executions, kExecutions);
  return count;
}

/// Matches a number of hits if the probability of a hit is `probability`.
auto is_near(double probability) {
  const double expected = kExecutions * probability;
  return ::testing::DoubleNear(expected, 5 * std::sqrt(expected));
}

// ---------------------------------------------------------------------------------------------------------------------
// pos

/// Whether a load comes after all steps of a thread that makes `elsewhere` steps on another object and then
/// `before` steps of the given kind on the same one.
template <class Step>
bool load_comes_last(unsigned elsewhere, unsigned before, const Step& step) {
  atomic<int> x{0};
  atomic<int> y{0};
  unsigned steps = 0;
  unsigned seen = 0;
  in_parallel(
      [&] {
        for (unsigned n = 0; n < elsewhere; ++n, ++steps) y.store(1);
        for (unsigned n = 0; n < before; ++n, ++steps) step(x);
      },
      [&] {
        x.load();
        seen = steps;
      });
  return seen == elsewhere + before;
}

TEST(Pos, KeepsThePriorityOfAnOperationWhileOthersWorkElsewhere) {
  const auto hits = [] { return load_comes_last(9, 0, [](atomic<int>&) {}); };
  EXPECT_THAT(count_hits("pos", hits), is_near(1.0 / 10));
  EXPECT_LT(count_hits("random", hits), kExecutions / 100) << "1/512";
}

TEST(Pos, DrawsAgainWhereAStepConflicts) {
  EXPECT_THAT(count_hits("pos", [] { return load_comes_last(0, 4, [](atomic<int>& x) { x.store(1); }); }),
      is_near(1.0 / 16));
  EXPECT_THAT(count_hits("pos", [] { return load_comes_last(0, 4, [](atomic<int>& x) { x.load(); }); }),
      is_near(1.0 / 5))
      << "loads do not conflict";
}

// ---------------------------------------------------------------------------------------------------------------------
// What all of them have in common

constexpr const char* kStrategies[] = {"pct", "pos"};

TEST(SamplingStrategies, RunTheSameExecutionsForTheSameSeed) {
  for (const char* strategy : kStrategies) {
    const auto orders = [&](std::uint64_t seed) {
      Options options = sampling(strategy, 50);
      options.seed = seed;
      std::uint64_t all = 0;
      explore(
          "orders",
          [&] {
            atomic<unsigned> x{0};
            in_parallel_each(3, [&](unsigned n) {
              for (int i = 0; i < 3; ++i) x.store(x.load() * 3 + n + choose(2));
            });
            all = all * 31 + x.load();
          },
          options);
      return all;
    };
    EXPECT_EQ(orders(7), orders(7)) << strategy;
    EXPECT_NE(orders(7), orders(8)) << strategy;
  }
}

TEST(SamplingStrategies, LetThreadsThatSpinGiveWay) {
  for (const char* strategy : kStrategies) {
    Options options = sampling(strategy, 500);
    options.max_steps = 500;
    const Report report = explore("spins", spin_with_a_yield, options);
    EXPECT_EQ(report.verdict, Verdict::passed_sample) << strategy << report;
    EXPECT_LT(report.steps, 20 * report.executions) << strategy;
  }
}

}  // namespace

}  // namespace hocket::test
