// What a step is, and what a switch costs: counts of executions.
#include <gtest/gtest.h>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"

namespace hocket::test {

namespace {

TEST(AStep, IsOneOperationAndTheCodeUpToTheNext) {
  EXPECT_EQ(explored([] {
    atomic<int> x{0};
    const auto five = [&] {
      for (int n = 0; n < 5; ++n) x.fetch_add(1);
    };
    in_parallel(five, five);
  }).executions,
      252U);  // C(10, 5)
}

TEST(AStep, IsNeitherACreationNorAStartNorAnEndNorAJoin) {
  EXPECT_EQ(explored([] {
    in_parallel([] { thread([] {}).join(); }, [] { in_parallel([] {}, [] {}); });
  }).executions,
      1U);
}

TEST(AStep, IsNeitherAVarAccessNorACheckNorANameNorAFence) {
  const Report report = explored([] {
    const auto quiet = [] {
      var<int> v{0};
      ++v;
      name(v, "v");
      check(v == 1);
      hocket::atomic_thread_fence(memory_order_seq_cst);
    };
    in_parallel(quiet, quiet);
  });
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(report.steps, 0U);
}

TEST(AStep, IsTheDestructionOfAnObjectButNotItsConstruction) {
  EXPECT_EQ(explored([] {
    const auto make = [] { const atomic<int> x{0}; };
    in_parallel(make, make);
  }).executions,
      2U);
}

TEST(ANewThread, RunsAtOnceUpToItsFirstOperation) {
  explored([] {
    int x = 0;
    atomic<int> y{0};
    thread t([&] {
      x = 1;
      y.store(1);
    });
    check(x == 1);
    t.join();
  });
}

TEST(TheBound, OfNoPreemptionLeavesTheOrderOfThreadsFree) {
  EXPECT_EQ(explored(within(0),
                [] {
                  atomic<int> x{0};
                  in_parallel_each(4, [&](unsigned) {
                    for (int n = 0; n < 3; ++n) x.fetch_add(1);
                  });
                })
                .executions,
      24U);
}

TEST(ASwitch, AtABlockIsFree) {
  // The second thread blocks; any of them may be the first.
  const Report report = explored(within(0), [] {
    counting_semaphore<> ping{0};
    counting_semaphore<> pong{0};
    in_parallel(
        [&] {
          for (int n = 0; n < 5; ++n) {
            ping.release();
            pong.acquire();
          }
        },
        [&] {
          for (int n = 0; n < 5; ++n) {
            ping.acquire();
            pong.release();
          }
        });
  });
  EXPECT_GE(report.executions, 1U);
  EXPECT_EQ(report.bounds.size(), 1U);
}

TEST(Prices, LetAnyThreadBeginForFree) {
  const hocket::Report report =
      report_of({.max_preemptions = 0, .try_saved = false, .save_schedules = false}, [] {
        hocket::atomic<int> x{0};
        hocket::thread t([&] { x.store(1); });
        x.store(2);
        t.join();
      });
  EXPECT_EQ(report.executions, 2U);
}

}  // namespace

}  // namespace hocket::test
