// The states of the worst case for a bound on preemptions, by bound.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "samples/models/worst_case.hpp"
#include "tests/support/effort.hpp"

namespace hocket::model::test {

namespace {

using samples::worst_case::WorstCase;

constexpr Searches kOfBounds = Searches::breadth_first | Searches::depth_first;

/// The states within 0, 1, 2, 4, 8 and 16 preemptions have to be as many as `expected`. A slow build stops at
/// two.
void expect_states_by_bound(
    const std::array<std::uint64_t, 6>& expected, Options options, const Flaws& flaws = {}) {
  constexpr std::array kBounds{0U, 1U, 2U, 4U, 8U, 16U};
  for (std::size_t n = 0; n < (hocket::test::kIsSlow ? 3 : kBounds.size()); ++n) {
    options.max_preemptions = kBounds[n];
    options.keep_going = true;
    EXPECT_EQ(check_without_files<kOfBounds>("counted", WorstCase<10>{}, options, flaws).states, expected[n])
        << options.strategy << " within " << kBounds[n];
  }
}

TEST(TheWorstCaseOfSpin, HasTheseStatesWithinABound) {
  for (const char* strategy : {"icb", "bcs"}) {
    for (const Store store : {Store::exact, Store::hash}) {
      const bool is_first = store == Store::hash && strategy == std::string_view("icb");
      if (hocket::test::kIsSlow && !is_first) continue;
      expect_states_by_bound(
          {8'960, 25'599, 48'128, 81'056, 88'571, 88'573}, {.strategy = strategy, .store = store});
    }
  }
  expect_states_by_bound(
      {8'960, 25'599, 48'128, 81'056, 88'571, 88'573}, {.strategy = "bcs", .reduce = true});
}

// Table 1 of Holzmann and Florian, and what Spin 6.5.2 prints with -DBCS -DCONSERVATIVE=2.
TEST(TheWorstCaseOfSpin, HasFewerStatesIfProcessesAreForgottenAsSpinDoes) {
  const Flaws flaws{.forgets_processes = true};
  expect_states_by_bound({7'167, 22'784, 45'567, 80'511, 88'571, 88'573}, {.strategy = "bcs"}, flaws);
  expect_states_by_bound(
      {7'167, 18'687, 38'144, 75'008, 88'552, 88'573}, {.strategy = "bcs", .reduce = true}, flaws);
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
