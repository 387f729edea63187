// Choices that are not about threads: choose, assume, no_preemption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"

namespace hocket::test {

namespace {

using ::testing::ElementsAre;

TEST(Choose, TriesEachValueOnceForNothing) {
  std::multiset<std::uint32_t> seen;
  const Report report = explored([&] { seen.insert(choose(3) * 10 + choose(2)); }, within(0));
  EXPECT_EQ(seen.count(0), 2U) << "the first execution is run again, to see that it does the same";
  EXPECT_THAT(std::set(seen.begin(), seen.end()), ElementsAre(0, 1, 10, 11, 20, 21));
  EXPECT_EQ(seen.size(), 1 + 6U);
  EXPECT_EQ(report.classes, 6U);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

TEST(Choose, OfOneIsNoChoiceAndOf4096IsTheMost) {
  EXPECT_EQ(explored([] { check(choose(1) == 0); }).executions, 1U);
  EXPECT_EQ(explored([] { choose(4096); }).executions, 4096U);
}

TEST(Assume, DropsExecutionsAndCountsThem) {
  const Report report = explored([] { assume(choose(10) % 3 == 0); });
  EXPECT_EQ(report.executions, 4U);
  EXPECT_EQ(report.dropped, 6U);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

TEST(Assume, WithWhatIsNeverTrueEndsInNoPass) {
  const Report report = report_of(exhaustively(), [] { assume(choose(5) > 5); });
  EXPECT_EQ(report.verdict, Verdict::stopped);
  EXPECT_EQ(report.executions, 0U);
  EXPECT_EQ(report.dropped, 5U);
  EXPECT_EQ(report.stopped_by, "assume(), which dropped every execution");
}

TEST(NoPreemption, KeepsAThreadGoingUntilItBlocks) {
  const Report report = explored([] {
    atomic<int> x{0};
    const auto add = [&] {
      const no_preemption guard;
      x.store(x.load() + 1);
    };
    in_parallel(add, add);
    check(x.load() == 2);
  });
  EXPECT_EQ(report.executions, 2U);  // one for each order of the threads
}

TEST(NoPreemption, DoesNotHinderABlock) {
  explored([] {
    counting_semaphore<> ready{0};
    in_parallel(
        [&] {
          const no_preemption guard;
          ready.acquire();
        },
        [&] { ready.release(); });
  });
}

// What can follow where such a thread came last is less than what can where another did: that is one state
// more.
TEST(NoPreemption, AroundWhatBlocksHasTheSameClassesUnderEveryStrategy) {
  for (const char* strategy :
      {"icb", "dfs", "idfs", "best-first", "delay", "hb-cache", "icb-por", "cb-por", "cb-por-basic"}) {
    const Report report = explored(with(strategy), [] {
      atomic<int> x{0};
      mutex m;
      thread guarded([&] {
        x.store(1);
        const no_preemption guard;
        m.lock();
        x.fetch_add(1);
        m.unlock();
      });
      thread other([&] { x.fetch_add(1); });
      static_cast<void>(x.load());
      m.lock();
      m.unlock();
      other.join();
      guarded.join();
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
    EXPECT_EQ(report.classes, 10U) << strategy;
  }
}

TEST(Choose, BeforeTheFirstOperationOfAThreadDoesNotLetItRunAhead) {
  const hocket::Report report = report_of(
      hocket::Options{.max_preemptions = hocket::unbounded, .try_saved = false, .save_schedules = false}, [] {
        hocket::atomic<int> x{0};
        hocket::thread t([&] {
          const auto value = static_cast<int>(hocket::choose(2));
          x.store(value);
        });
        x.store(2);
        t.join();
      });
  EXPECT_EQ(report.executions, 4U);  // two values, two orders
  EXPECT_EQ(report.classes, 4U);
}

TEST(Choose, AfterAYieldLeavesTheSwitchFree) {
  const hocket::Report report =
      report_of({.max_preemptions = 0, .try_saved = false, .save_schedules = false}, [] {
        hocket::atomic<int> x{0};
        x.store(1);
        hocket::thread t([&] { x.store(2); });
        hocket::yield();
        hocket::choose(2);
        x.store(3);
        t.join();
      });
  // Before the yield main has to go on; behind it either thread may, for each of the two values.
  EXPECT_EQ(report.executions, 4U);
}

}  // namespace

}  // namespace hocket::test
