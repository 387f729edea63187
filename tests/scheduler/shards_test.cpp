// Searches that are split into shards: together these run what one search runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/bodies.hpp"
#include "tests/support/counted_programs.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/expected_counts.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

/// What one search, or all shards of one, have run.
struct Whole {
  using Name = std::pair<std::uint64_t, std::uint64_t>;
  std::map<Name, std::size_t> passed;  ///< classes, with their bounds
  std::map<Name, std::size_t> failed;
  std::vector<std::uint64_t> executions;  ///< by bound
  std::uint64_t steps = 0;
  std::uint64_t others = 0;

  friend bool operator==(const Whole& a, const Whole& b) {
    return a.passed == b.passed && a.failed == b.failed && a.executions == b.executions && a.steps == b.steps;
  }
};

void add(const ShardCoverage::Classes& classes, std::map<Whole::Name, std::size_t>& to) {
  for (std::size_t bound = 0; bound < classes.size(); ++bound) {
    for (const runtime::ClassHash& hash : classes[bound]) {
      std::size_t& known = to.emplace(Whole::Name(hash.high, hash.low), bound).first->second;
      known = std::min(known, bound);
    }
  }
}

Whole in_shards(const Program& program, unsigned count, const char* strategy = "icb") {
  Whole whole;
  for (unsigned index = 1; index <= count; ++index) {
    Options options = with(strategy, std::min(2U, program.about.last_bound_of_icb));
    options.keep_going = true;
    options.shard = Shard{index, count};
    const Report report = explore(program.name, program.body, options);
    EXPECT_TRUE(report.verdict == Verdict::passed_shard || report.verdict == Verdict::failed) << report;
    EXPECT_EQ(report.shard, options.shard);
    add(report.in_shard.passed, whole.passed);
    add(report.in_shard.failed, whole.failed);
    if (whole.executions.size() < report.bounds.size()) whole.executions.resize(report.bounds.size());
    for (std::size_t bound = 0; bound < report.bounds.size(); ++bound)
      whole.executions[bound] += report.bounds[bound].executions;
    whole.steps += report.steps;
    whole.others += report.in_shard.others;
  }
  return whole;
}

class Shards : public ::testing::TestWithParam<Program> {};

TEST_P(Shards, TogetherRunWhatOneSearchRuns) {
  const Whole one = in_shards(GetParam(), 1);
  EXPECT_EQ(one.others, 0U);
  Options options = with("icb", std::min(2U, GetParam().about.last_bound_of_icb));
  options.keep_going = true;
  const Report unsplit = explore(GetParam().name, GetParam().body, options);
  EXPECT_EQ(one.passed.size(), unsplit.classes);
  EXPECT_EQ(one.failed.size(), unsplit.failed_classes);
  EXPECT_EQ(one.steps, unsplit.steps);
  for (const unsigned count : {2U, 5U, 7U, 64U}) EXPECT_EQ(in_shards(GetParam(), count), one) << count;
}

INSTANTIATE_TEST_SUITE_P(Programs, Shards, ::testing::ValuesIn(programs<HocketTypes>()), RowName());

void two_increments() {
  atomic<int> x{0};
  thread other([&] { ++x; });
  ++x;
  other.join();
}

TEST(AShard, SaysThatItIsNotTheWholeSearch) {
  const Report report = explore("two increments", two_increments, quietly({.shard = Shard{2, 3}}));
  EXPECT_EQ(report.verdict, Verdict::passed_shard);
  EXPECT_EQ(report.strategy, "icb") << "what auto remembers would have to be shared";
  EXPECT_NE(to_text(report).find("passed shard 2 of 3 of every schedule"), std::string::npos) << report;
  EXPECT_EQ(to_string(report.verdict), "passed its shard");
}

TEST(AShard, DoesNotSayThatASmallerBoundHasNoFailure) {
  for (unsigned index = 1; index <= 2; ++index) {
    const Options options = quietly({.strategy = "icb",
        .shard = Shard{index, 2},
        .keep_going = true,
        .minimize = std::chrono::seconds(0)});
    const Report report = report_of(options, [] {
      atomic<int> x{0};
      thread other([&] { x = x + 1; });
      x = x + 1;
      other.join();
      check(x == 2);
    });
    for (const FoundFailure& failure : report.failures) EXPECT_EQ(failure.known_least, 0U) << report;
  }
}

TEST(AShard, OfAStrategyThatRemembersStatesIsRefused) {
  Options options = quietly({.strategy = "cb-por", .shard = Shard{1, 2}});
  EXPECT_THROW(explore("two increments", two_increments, options), std::invalid_argument);
  options.strategy = "icb";
  options.shard = Shard{3, 2};
  EXPECT_THROW(explore("two increments", two_increments, options), std::invalid_argument);
}

/// Each draws schedules of its own, and the same ones each time.
TEST(ShardsOfASample, DrawOtherSchedules) {
  const auto classes_of = [](unsigned index) {
    const Report report =
        report_of(quietly({.strategy = "random", .max_executions = 20, .shard = Shard{index, 2}}), [] {
          atomic<int> x{0};
          const auto add_often = [&] {
            for (int n = 0; n < 5; ++n) ++x;
          };
          thread other(add_often);
          add_often();
          other.join();
        });
    EXPECT_EQ(report.verdict, Verdict::passed_sample);
    std::map<Whole::Name, std::size_t> classes;
    add(report.in_shard.passed, classes);
    return classes;
  };
  EXPECT_EQ(classes_of(1), classes_of(1));
  EXPECT_NE(classes_of(1), classes_of(2));
}

}  // namespace

}  // namespace hocket::test
