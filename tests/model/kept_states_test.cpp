// Where searches keep states: the set of those that they have met, and what a depth-bounded search keeps of
// those from which it goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "check_without_files.hpp"
#include "model/states/state_set.hpp"
#include "scheduler/api/number_text.hpp"

namespace hocket::model::test {

namespace {

using ::testing::HasSubstr;

/// One way of 20 steps, and then 16 ways of 30 steps.
struct Fork {
  struct State {
    std::uint8_t steps, way;
    bool operator==(const State&) const = default;
  };
  static constexpr unsigned kTrunk = 20, kWays = 16, kLength = kTrunk + 30;

  [[nodiscard]] State initial() const { return {}; }
  void successors(const State& state, Emit<State> emit) const {
    const auto next = static_cast<std::uint8_t>(state.steps + 1);
    if (state.steps == kTrunk) {
      for (std::uint8_t way = 0; way < kWays; ++way) emit(0, "turn", {next, way});
    } else if (state.steps < kLength) {
      emit(0, "go on", {next, state.way});
    }
  }
};

Report search_with(Frontier frontier, std::uint32_t max_depth = 60, std::uint32_t depth_step = 5,
    std::uint64_t max_transitions = 0) {
  return check_without_files<Searches::depth_bounded>("fork", Fork{},
      {.strategy = "depth",
          .max_depth = max_depth,
          .depth_step = depth_step,
          .frontier = frontier,
          .max_transitions = max_transitions});
}

constexpr unsigned kForkStates = Fork::kTrunk + 1 + Fork::kWays * 30;

TEST(TheFrontier, AsTracesIsRebuiltFromTheInitialState) {
  const Report report = search_with(Frontier::traces);
  EXPECT_EQ(report.states, kForkStates);
  EXPECT_EQ(report.frontier_peak, Fork::kWays);
  // Bounds 5 to 20 cut off one state each, bounds 25 to 45 one on each way; at bound 50 all ways end.
  EXPECT_EQ(report.replayed_steps, (5 + 10 + 15 + 20) + 16 * (25 + 30 + 35 + 40 + 45 + 50));
}

TEST(TheFrontier, AsATreeIsRebuiltFromTheFrontierBefore) {
  const Report report = search_with(Frontier::tree);
  EXPECT_EQ(report.states, kForkStates);
  // The search goes on from the ways in turn, so the end of the trunk is the last state that is still known.
  EXPECT_EQ(report.replayed_steps, (5 + 5 + 5 + 5) + 16 * (5 + 10 + 15 + 20 + 25 + 30));
}

TEST(TheFrontier, AsATreeSharesTheStepsThatTracesHaveInCommon) {
  EXPECT_LT(search_with(Frontier::tree, 60, Fork::kTrunk).frontier_bytes,
      search_with(Frontier::traces, 60, Fork::kTrunk).frontier_bytes);
}

TEST(TheFrontier, AsStatesIsNotRebuilt) {
  const Report report = search_with(Frontier::states);
  EXPECT_EQ(report.states, kForkStates);
  EXPECT_EQ(report.replayed_steps, 0);
}

TEST(TheFrontier, IsFreedWhereTheSearchHasGoneOn) {
  // There are as many frontier states at depth 25 as later, so a longer search needs hardly more memory: the
  // steps of the longer ways, but no nodes of the bounds before.
  const auto states = [](std::uint32_t depth) { return search_with(Frontier::states, depth).frontier_bytes; };
  EXPECT_LT(states(50), states(30) * 2);
}

TEST(ALimitOfTransitions, EndsTheSearchThereAndLeavesTheDepthsBeforeComplete) {
  const auto cost = [](std::uint32_t depth) {
    const Report report = search_with(Frontier::tree, depth);
    return report.transitions + report.replayed_steps;
  };
  const std::uint64_t all = cost(60);
  for (std::uint64_t most = 1; most <= all; ++most) {
    const Report report = search_with(Frontier::tree, 60, 5, most);
    const std::uint32_t depth = report.complete_depth;
    EXPECT_LT(cost(std::max(depth, 1U)), most + Fork::kLength);  // a state is rebuilt to its end
    if (report.verdict == Verdict::passed_exhaustively) {
      EXPECT_GT(most + Fork::kLength, all);
      continue;
    }
    EXPECT_LT(most, all);
    EXPECT_EQ(report.stopped_by, "the limit of " + count_text(most, "transition"));
    EXPECT_GT(cost(depth + 5), most);
    EXPECT_EQ(depth % 5, 0);
    EXPECT_GE(report.states,
        depth <= Fork::kTrunk ? depth + 1 : Fork::kTrunk + 1 + Fork::kWays * (depth - Fork::kTrunk));
    EXPECT_LT(report.transitions + report.replayed_steps, most + Fork::kLength);
  }
}

TEST(ALimitOfTransitions, IsReportedWithTheDepthThatIsComplete) {
  EXPECT_THAT(to_text(search_with(Frontier::tree, 60, 5, 100)),
      HasSubstr("fork: stopped by the limit of 100 transitions before everything was covered, except within "
                "depth 20: "));
}

TEST(AStateSet, RefusesAnotherStateWhenItIsFull) {
  RawStateSet<int> set(Keeps::states, {0, 1}, 3);
  for (std::uint64_t n = 1; n <= 3; ++n) EXPECT_TRUE(set.insert({n, n << 32U}, static_cast<int>(n)).is_new);
  EXPECT_FALSE(set.insert({2, std::uint64_t{2} << 32U}, 2).is_new);
  EXPECT_THROW(set.insert({4, std::uint64_t{4} << 32U}, 4), StateSetIsFull);
  EXPECT_EQ(set.size(), 3);
  EXPECT_EQ(set.find({4, std::uint64_t{4} << 32U}, 4), nullptr);
}

}  // namespace

}  // namespace hocket::model::test
