// The states of the worst case for a bound on preemptions, by bound.
#include <cstdint>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "samples/models/worst_case.hpp"
#include "tests/support/effort.hpp"

namespace hocket::model::test {

namespace {

using samples::worst_case::WorstCase;
using ::testing::ElementsAre;

constexpr Searches kOfBounds = Searches::breadth_first | Searches::depth_first;

std::vector<std::uint64_t> states_by_bound(Options options, const Flaws& flaws = {}) {
  std::vector<std::uint64_t> states;
  for (const unsigned bound : {0U, 1U, 2U, 4U, 8U, 16U}) {
    options.max_preemptions = bound;
    options.keep_going = true;
    states.push_back(check_without_files<kOfBounds>("counted", WorstCase<10>{}, options, flaws).states);
  }
  return states;
}

TEST(TheWorstCaseOfSpin, HasTheseStatesWithinABound) {
  for (const char* strategy : {"icb", "bcs"}) {
    for (const Store store : {Store::exact, Store::hash}) {
      const bool is_first = store == Store::hash && strategy == std::string_view("icb");
      if (hocket::test::kIsSlow && !is_first) continue;
      EXPECT_THAT(states_by_bound({.strategy = strategy, .store = store}),
          ElementsAre(8'960, 25'599, 48'128, 81'056, 88'571, 88'573));
    }
  }
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .reduce = true}),
      ElementsAre(8'960, 25'599, 48'128, 81'056, 88'571, 88'573));
}

// Table 1 of Holzmann and Florian, and what Spin 6.5.2 prints with -DBCS -DCONSERVATIVE=2.
TEST(TheWorstCaseOfSpin, HasFewerStatesIfProcessesAreForgottenAsSpinDoes) {
  EXPECT_THAT(states_by_bound({.strategy = "bcs"}, {.forgets_processes = true}),
      ElementsAre(7'167, 22'784, 45'567, 80'511, 88'571, 88'573));
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .reduce = true}, {.forgets_processes = true}),
      ElementsAre(7'167, 18'687, 38'144, 75'008, 88'552, 88'573));
}

TEST(TheWorstCaseOfSpin, FailsWithNinePreemptions) {
  const Report report = check_without_files<kOfBounds>("worst case", WorstCase<10>{}, {.strategy = "icb"});
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().preemptions, 9);
  EXPECT_EQ(report.violations.front().path.size(), 10);
}

}  // namespace

}  // namespace hocket::model::test
