// Yields: a loop that spins gives way by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/execution/step.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ASpinLoopWithAYield, EndsByItselfAtBoundZero) {
  const Report report = explored(spin_with_a_yield, within(0));
  EXPECT_LT(report.steps / report.executions, 12U);
}

TEST(TwoSpinLoops, ThatWaitForAThirdThreadEndAtBoundZero) {
  explored(within(0), [] {
    atomic<int> turn{0};
    const auto take_turn = [&](int mine) {
      while (turn.load() != mine) yield();
      turn.store(mine + 1);
    };
    in_parallel([&] { take_turn(2); }, [&] { take_turn(1); }, [&] { take_turn(0); });
    check(turn.load() == 3);
  });
}

TEST(AnIdleRoundOfASpinLoop, CostsOnePreemption) {
  const auto outcomes = outcomes_by_bound([] {
    atomic<bool> ready{false};
    int rounds = 0;
    in_parallel(
        [&] {
          while (!ready.load()) {
            ++rounds;
            yield();
          }
        },
        [&] { ready.store(true); });
    return rounds;
  });
  // The first yield is free to pass and so is giving way at the second, which would be futile: going on there
  // costs one.
  EXPECT_EQ(outcomes.at(0), 0U);
  EXPECT_EQ(outcomes.at(1), 0U);
  EXPECT_EQ(outcomes.at(2), 0U);
  EXPECT_EQ(outcomes.at(3), 1U);
  EXPECT_EQ(outcomes.at(4), 2U);
  EXPECT_EQ(outcomes.at(5), 3U);
}

TEST(ASwitchAfterAYield, IsFree) {
  const auto outcomes = outcomes_by_bound([] {
    atomic<int> x{0};
    int seen = -1;
    in_parallel(
        [&] {
          x.store(1);
          yield();
          x.store(2);
        },
        [&] { seen = x.load(); });
    return seen;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(0, 0U), Pair(1, 0U), Pair(2, 0U)));
}

TEST(AThreadThatReadsBetweenItsYields, RemembersEachObjectOnceHoweverOftenItReads) {
  explored(quietly(), [] {
    atomic<int> x{0};
    atomic<int> y{0};
    yield();
    for (int n = 0; n < 5'000; ++n) check(x.load() == y.load());
    check(runtime::run.current->reads_since_yield.size() < 100);
    yield();
  });
}

TEST(ALoopThatOnlySpins, IsALivelockAlthoughItYields) {
  const FoundFailure failure = failure_of(quietly({.max_steps = 500}), [] {
    atomic<bool> never{false};
    while (!never.load()) yield();
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
}

}  // namespace

}  // namespace hocket::test
