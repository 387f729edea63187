// The states of known models by bound.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_without_files.hpp"
#include "samples/models/leader_election.hpp"
#include "samples/models/snoopy.hpp"
#include "samples/models/worst_case.hpp"

namespace hocket::model::test {

namespace {

using samples::leader_election::LeaderElection;
using samples::worst_case::WorstCase;
using ::testing::ElementsAre;

template <typename M = WorstCase<10>>
std::vector<std::uint64_t> states_by_bound(Options options, const M& model = {}) {
  std::vector<std::uint64_t> states;
  for (const unsigned bound : {0U, 1U, 2U, 4U, 8U, 16U}) {
    options.max_preemptions = bound;
    options.keep_going = true;
    states.push_back(check_without_files("counted", model, options).states);
  }
  return states;
}

TEST(TheWorstCaseOfSpin, HasTheseStatesWithinABound) {
  for (const char* strategy : {"icb", "bcs"}) {
    for (const Store store : {Store::exact, Store::hash}) {
      EXPECT_THAT(states_by_bound({.strategy = strategy, .store = store}),
          ElementsAre(8'960, 25'599, 48'128, 81'056, 88'571, 88'573));
    }
  }
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .reduce = true}),
      ElementsAre(8'960, 25'599, 48'128, 81'056, 88'571, 88'573));
}

// Table 1 of Holzmann and Florian, and what Spin 6.5.2 prints with -DBCS -DCONSERVATIVE=2.
TEST(TheWorstCaseOfSpin, HasFewerStatesIfProcessesAreForgottenAsSpinDoes) {
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .forgets_processes = true}),
      ElementsAre(7'167, 22'784, 45'567, 80'511, 88'571, 88'573));
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .reduce = true, .forgets_processes = true}),
      ElementsAre(7'167, 18'687, 38'144, 75'008, 88'552, 88'573));
}

// What Spin 6.5.2 prints for its example leader0.pml; tools/compare-with-spin runs it.
TEST(TheElectionOfALeader, HasAsManyStatesAsInSpin) {
  const LeaderElection<5, 3> model;
  const Report all = check_without_files("leader", model, {.strategy = "dfs"});
  EXPECT_EQ(all.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(all.states, 41'692);
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .forgets_processes = true}, model),
      ElementsAre(1'613, 8'155, 21'457, 41'692, 41'692, 41'692));
  EXPECT_EQ(check_without_files("leader", model, {.strategy = "dfs", .reduce = true}).states, 108);
}

// The same for its example snoopy.pml, which can come to a standstill.
TEST(TheSnoopingCache, HasAsManyStatesAsInSpin) {
  const samples::snoopy::Snoopy model;
  const Report all = check_without_files("snoopy", model, {.strategy = "dfs"});
  EXPECT_EQ(all.verdict, Verdict::passed_exhaustively);
  EXPECT_EQ(all.states, 91'920);
  EXPECT_THAT(states_by_bound({.strategy = "bcs", .forgets_processes = true}, model),
      ElementsAre(40'152, 82'558, 91'510, 91'920, 91'920, 91'920));
  const Report reduced = check_without_files("snoopy", model, {.strategy = "dfs", .reduce = true});
  EXPECT_EQ(reduced.verdict, Verdict::passed_exhaustively);
  EXPECT_LT(reduced.states, 20'000);
  EXPECT_EQ(all.end_states, 81);
  EXPECT_EQ(reduced.end_states, 81);
}

TEST(TheWorstCaseOfSpin, FailsWithNinePreemptions) {
  const Report report = check_without_files("worst case", WorstCase<10>{}, {.strategy = "icb"});
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_EQ(report.violations.size(), 1);
  EXPECT_EQ(report.violations.front().preemptions, 9);
  EXPECT_EQ(report.violations.front().path.size(), 10);
}

}  // namespace

}  // namespace hocket::model::test
