// Threads: how many, how they are named, and what std::thread can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/schedules/schedule.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::ElementsAre;

TEST(ADetachedThread, RunsToItsEndBeforeTheExecutionIsOver) {
  Options options = exhaustively();
  options.detect = Detectors().without(Detector::detached_threads);
  int ended = 0;
  const Report report = explored(
      [&] {
        atomic<int>* x = new atomic<int>(0);
        thread t([x, &ended] {
          x->store(1);
          delete x;
          ++ended;
        });
        t.detach();
        check(!t.joinable());
      },
      options);
  EXPECT_EQ(static_cast<std::uint64_t>(ended), 1 + report.executions) << "the first is run twice";
}

TEST(Threads, PassArgumentsMoveSwapAndCompareAsStdThreadDoes) {
  explored([] {
    int sum = 0;
    auto owned = std::make_unique<int>(5);
    thread t([&](int a, std::unique_ptr<int> b) { sum = a + *b; }, 2, std::move(owned));
    thread u = std::move(t);
    check(!t.joinable() && u.joinable());  // NOLINT(bugprone-use-after-move): what is left is specified
    check(u.get_id() != this_thread::get_id() && t.get_id() == thread::id());
    swap(t, u);
    t.join();
    check(sum == 7);
    bool thrown = false;
    try {
      t.join();
    } catch (const std::system_error&) {
      thrown = true;
    }
    check(thrown, "join of what cannot be joined throws");
    std::ostringstream text;
    text << this_thread::get_id();
    check(text.str() == "thread 0");
  });
}

TEST(ThreadsThatThreadsCreate, AreNamedByCreatorAndOrdinal) {
  const Report report = explore(
      "names",
      [] {
        thread one([] {});
        thread two([] {
          thread a([] {});
          thread b([] {
            thread deep([] {});
            deep.join();
          });
          a.join();
          b.join();
        });
        one.join();
        two.join();
        check(false);
      },
      quietly());
  ASSERT_EQ(report.failures.size(), 1U);
  std::vector<std::string> names;
  for (const auto& entry : report.failures[0].schedule->threads) names.push_back(entry.label);
  EXPECT_THAT(names, ElementsAre("main", "thread 1", "thread 2", "thread 2.1", "thread 2.2", "thread 2.2.1"));
}

TEST(Classes, DoNotDependOnWhichThreadCreatesItsObjectsFirst) {
  // Two threads that make and use objects of their own, and meet nowhere: one class.
  const Report report = explored([] {
    const auto work = [] {
      atomic<int> mine{0};
      mine.store(1);
      thread child([&] { mine.store(2); });
      child.join();
    };
    in_parallel(work, work);
  });
  EXPECT_GT(report.executions, 1U);
  EXPECT_EQ(report.classes, 1U);
}

TEST(Threads, CanBeSixtyFourInOneExecution) {
  Options options = quietly();
  options.strategy = "random";
  options.max_executions = 200;
  expect_to_pass(
      [] {
        atomic<int> x{0};
        mutex m;
        int n = 0;
        in_parallel_each(64, [&](unsigned) {
          x.fetch_add(1);
          const std::lock_guard guard(m);
          ++n;
        });
        check(x.load() == 64 && n == 64);
      },
      options);
}

TEST(Threads, CanBeFortyUnderIcb) {
  Options options = quietly();
  options.max_preemptions = 1;
  options.max_executions = 3000;
  const Report report = explore(
      "forty",
      [] {
        atomic<int> x{0};
        in_parallel_each(40, [&](unsigned) { x.fetch_add(1); });
        check(x.load() == 40);
      },
      options);
  EXPECT_EQ(report.verdict, Verdict::stopped) << report;
  EXPECT_EQ(report.classes, 3000U);
}

TEST(Threads, CanBe255BesideTheBodysOwn) {
  Options options = quietly();
  options.strategy = "random";
  options.max_executions = 20;
  expect_to_pass(
      [] {
        atomic<int> x{0};
        in_parallel_each(255, [&](unsigned) { x.fetch_add(1); });
        check(x.load() == 255);
      },
      options);
}

}  // namespace

}  // namespace hocket::test
