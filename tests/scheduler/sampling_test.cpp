// The distributions that the strategies that choose at random promise, on programs for which they can be
// computed by hand. The seeds are fixed, and the tolerances are five standard deviations or more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "scheduler/strategies/random_bits.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

constexpr unsigned kExecutions = 4000;

Options sampling(const char* strategy, std::uint64_t executions = kExecutions) {
  return quietly({.strategy = strategy, .max_executions = executions});
}

/// How many executions `hits` was true at the end of.
double count_hits(const char* strategy, const std::function<bool()>& hits) {
  unsigned count = 0;
  const Report report = report_of(sampling(strategy), [&] { count += hits() ? 1 : 0; });
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
// urw

/// Chi-square of the orders of five steps of one thread and five of another, against all C(10, 5) = 252
/// orders being equally likely. The first executions are left out, because the strategy learns in them.
double chi_square_of_orders(const char* strategy) {
  constexpr unsigned kOrders = 252;
  constexpr unsigned kEach = 100;
  constexpr unsigned kFirst = 10;
  std::map<unsigned, unsigned> counts;
  unsigned executions = 0;
  report_of(sampling(strategy, kFirst + kOrders * kEach), [&] {
    atomic<int> x{0};
    unsigned order = 0;
    in_parallel_each(2, [&](unsigned n) {
      for (int i = 0; i < 5; ++i) {
        x.fetch_add(1);
        order = order << 1U | n;
      }
    });
    if (executions++ >= kFirst) ++counts[order];
  });
  EXPECT_LE(counts.size(), kOrders);
  double sum = (kOrders - static_cast<double>(counts.size())) * kEach;
  for (const auto& [order, count] : counts) sum += std::pow(static_cast<double>(count) - kEach, 2) / kEach;
  return sum;
}

TEST(Urw, MakesAllOrdersEquallyLikely) {
  constexpr double kDegrees = 251;
  const double most = kDegrees + 5 * std::sqrt(2 * kDegrees);
  EXPECT_LT(chi_square_of_orders("urw"), most);
  EXPECT_GT(chi_square_of_orders("random"), 10 * most);
}

/// Whether a thread of one step comes after the last of `count` steps, each by a thread that the one before
/// has created.
bool comes_after_descendants(unsigned count) {
  atomic<int> x{0};
  unsigned steps = 0;
  unsigned seen = 0;
  const std::function<void(unsigned)> descend = [&](unsigned left) {
    x.fetch_add(1);
    ++steps;
    if (left == 1) return;
    thread([&descend, left] { descend(left - 1); }).join();
  };
  in_parallel([&] { descend(count); },
      [&] {
        x.fetch_add(1);
        seen = steps;
      });
  return seen == count;
}

TEST(Urw, CountsTheStepsOfThreadsThatAreYetToBeCreated) {
  EXPECT_THAT(count_hits("urw", [] { return comes_after_descendants(9); }), is_near(1.0 / 10));
}

/// Whether the only step of a thread comes after the `count` steps of a thread that it has created.
bool comes_after_child(unsigned count) {
  atomic<int> x{0};
  unsigned steps = 0;
  unsigned seen = 0;
  in_parallel([&] {
    thread child([&] {
      for (unsigned n = 0; n < count; ++n, ++steps) x.fetch_add(1);
    });
    x.fetch_add(1);
    seen = steps;
    child.join();
  });
  return seen == count;
}

TEST(Urw, DoesNotCountTheStepsOfThreadsThatHaveBeenCreated) {
  EXPECT_THAT(count_hits("urw", [] { return comes_after_child(9); }), is_near(1.0 / 10));
}

// ---------------------------------------------------------------------------------------------------------------------
// sticky

/// Whether the first of two threads to begin makes all of its nine steps before the other one begins.
bool first_is_not_interrupted() {
  atomic<int> x{0};
  std::vector<unsigned> order;
  in_parallel_each(2, [&](unsigned n) {
    for (unsigned i = 0; i < 9; ++i) {
      x.fetch_add(1);
      order.push_back(n);
    }
  });
  return std::count(order.begin(), order.begin() + 9, order.front()) == 9;
}

TEST(Sticky, KeepsAThreadForMoreStepsInSomeExecutionsThanInOthers) {
  double probability = 0;
  for (const double length : {2, 4, 8, 16, 32, 64})
    probability += std::pow(1 - 1 / length / 2, 8) / 6;  // half of the switches are to the same thread
  EXPECT_THAT(count_hits("sticky", first_is_not_interrupted), is_near(probability));
  EXPECT_LT(count_hits("random", first_is_not_interrupted), kExecutions / 100) << "1/256";
}

// ---------------------------------------------------------------------------------------------------------------------
// mix

/// The orders of the steps of three threads in so many executions.
std::vector<unsigned> orders_of(const char* strategy, std::uint64_t seed, unsigned executions) {
  std::vector<unsigned> orders;
  Options options = sampling(strategy, executions);
  options.seed = seed;
  report_of(options, [&] {
    atomic<unsigned> x{0};
    in_parallel_each(3, [&](unsigned n) {
      for (int i = 0; i < 3; ++i) x.store(x.load() * 3 + n);
    });
    orders.push_back(x.load());
  });
  orders.erase(orders.begin(), orders.end() - executions);  // the search runs the first one twice
  return orders;
}

TEST(Mix, RunsTheOthersInTurns) {
  constexpr std::uint64_t kSeed = 5;
  constexpr std::array kParts{"pos", "pct", "urw", "sticky", "random"};
  constexpr unsigned kTurns = 12;
  std::vector<unsigned> expected(kTurns * kParts.size());
  RandomBits seeds(kSeed);
  for (unsigned part = 0; part < kParts.size(); ++part) {
    const std::vector<unsigned> orders = orders_of(kParts[part], seeds(), kTurns);
    for (unsigned turn = 0; turn < kTurns; ++turn) expected[turn * kParts.size() + part] = orders.at(turn);
  }
  EXPECT_EQ(orders_of("mix", kSeed, kTurns * kParts.size()), expected);
}

// ---------------------------------------------------------------------------------------------------------------------
// What all of them have in common

constexpr const char* kStrategies[] = {"pct", "pos", "urw", "sticky", "mix"};

TEST(SamplingStrategies, RunTheSameExecutionsForTheSameSeed) {
  for (const char* strategy : kStrategies) {
    const auto orders = [&](std::uint64_t seed) {
      Options options = sampling(strategy, 50);
      options.seed = seed;
      std::uint64_t all = 0;
      report_of(options, [&] {
        atomic<unsigned> x{0};
        in_parallel_each(3, [&](unsigned n) {
          for (int i = 0; i < 3; ++i) x.store(x.load() * 3 + n + choose(2));
        });
        all = all * 31 + x.load();
      });
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
