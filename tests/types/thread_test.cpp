// Threads: how many, how they are named, and what std::thread can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
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
  int ended = 0;
  const Report report =
      explored(exhaustively({.detect = Detectors().without(Detector::detached_threads)}), [&] {
        atomic<int>* x = new atomic<int>(0);
        thread t([x, &ended] {
          x->store(1);
          delete x;
          ++ended;
        });
        t.detach();
        check(!t.joinable());
      });
  EXPECT_EQ(static_cast<std::uint64_t>(ended), 1 + report.executions) << "the first is run twice";
}

/// Takes tasks for as long as the program lives, as pools of libraries do.
struct Worker {
  mutex lock;
  condition_variable changed;
  int tasks = 0;
  int done = 0;

  void work() {
    std::unique_lock held(lock);
    for (;;) {
      changed.wait(held, [this] { return tasks != 0; });
      --tasks;
      ++done;
      changed.notify_all();
    }
  }
  void give_task() {
    const std::unique_lock held(lock);
    ++tasks;
    changed.notify_all();
  }
  void wait_for(int count) {
    std::unique_lock held(lock);
    changed.wait(held, [this, count] { return done == count; });
  }
};

Options where_workers_may_wait() {
  return exhaustively({.detect = Detectors().without(Detector::detached_threads)});
}

/// Makes a worker that outlives the body. The shared pointer is for code that does not restore memory.
std::shared_ptr<Worker> start_worker() {
  auto worker = std::make_shared<Worker>();
  thread([worker] { worker->work(); }).detach();
  return worker;
}

TEST(ADetachedThread, ThatWaitsWhenTheBodyEndsEndsWithItIfThatIsAllowed) {
  for (const char* strategy : {"auto", "icb", "dfs", "icb-por", "hb-cache", "dpor", "cb-por", "dfs-sleep"}) {
    Options options = where_workers_may_wait();
    options.strategy = strategy;
    int ended = 0;
    const Report report = explored(options, [&] {
      struct AtEnd {
        int& ended;
        ~AtEnd() { ++ended; }
      };
      const std::shared_ptr<Worker> worker = start_worker();
      worker->give_task();
      worker->wait_for(1);
      const AtEnd at_end{ended};
    });
    EXPECT_THAT(
        report.note, ::testing::HasSubstr("an execution ended with its body while 1 detached thread waited"))
        << strategy;
    EXPECT_NE(ended, 0);
  }
}

TEST(ADetachedThread, ThatCanRunWhenTheBodyEndsRunsUntilItWaits) {
  int done = 0;
  const Report report = explored(where_workers_may_wait(), [&] {
    const std::shared_ptr<Worker> worker = start_worker();
    thread([worker, &done] {
      worker->wait_for(1);
      ++done;
    }).detach();
    worker->give_task();
  });
  EXPECT_EQ(static_cast<std::uint64_t>(done), 1 + report.executions) << "the first is run twice";
}

TEST(ADetachedThread, ThatWaitsForATimeWhenTheBodyEndsEndsWithItToo) {
  const Report report = explored(where_workers_may_wait(), [] {
    auto worker = std::make_shared<Worker>();
    thread([worker] {
      std::unique_lock held(worker->lock);
      for (;;) worker->changed.wait_for(held, std::chrono::seconds(1));
    }).detach();
  });
  EXPECT_THAT(report.note, ::testing::HasSubstr("while 1 detached thread waited"));
}

TEST(ADetachedThread, ThatWaitsIsNoExcuseForADeadlockOfOthers) {
  EXPECT_EQ(failure_of(where_workers_may_wait(),
                [] {
                  const std::shared_ptr<Worker> worker = start_worker();
                  worker->wait_for(1);
                })
                .kind,
      FailureKind::deadlock);
  EXPECT_EQ(failure_of(where_workers_may_wait(),
                [] {
                  const std::shared_ptr<Worker> worker = start_worker();
                  static thread attached;
                  attached = thread([worker] { worker->wait_for(1); });
                })
                .kind,
      FailureKind::deadlock);
}

TEST(ADetachedThread, ThatWaitsDoesNotHideThatAnotherIsLeaked) {
  EXPECT_EQ(failure_of(where_workers_may_wait(),
                [] {
                  const std::shared_ptr<Worker> worker = start_worker();
                  alignas(thread) static std::array<std::byte, sizeof(thread)> place;
                  new (place.data()) thread([] {});  // never destroyed
                })
                .kind,
      FailureKind::leak);
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
  const FoundFailure failure = failure_of(quietly(), [] {
    in_parallel([] {}, [] { in_parallel([] {}, [] { thread([] {}).join(); }); });
    check(false);
  });
  std::vector<std::string> names;
  for (const auto& entry : failure.schedule->threads) names.push_back(entry.label);
  EXPECT_THAT(names, ElementsAre("main", "thread 1", "thread 2", "thread 2.1", "thread 2.2", "thread 2.2.1"));
}

TEST(Classes, DoNotDependOnWhichThreadCreatesItsObjectsFirst) {
  // Two threads that make and use objects of their own, and meet nowhere: one class.
  const Report report = explored([] {
    const auto work = [] {
      atomic<int> mine{0};
      mine.store(1);
      thread([&] { mine.store(2); }).join();
    };
    in_parallel(work, work);
  });
  EXPECT_GT(report.executions, 1U);
  EXPECT_EQ(report.classes, 1U);
}

TEST(Threads, CanBeSixtyFourInOneExecution) {
  expect_to_pass(quietly({.strategy = "random", .max_executions = 200}), [] {
    atomic<int> x{0};
    mutex m;
    int n = 0;
    in_parallel_each(64, [&](unsigned) {
      x.fetch_add(1);
      const std::lock_guard guard(m);
      ++n;
    });
    check(x.load() == 64 && n == 64);
  });
}

TEST(Threads, CanBeFortyUnderIcb) {
  const Report report = report_of(quietly({.max_preemptions = 1, .max_executions = 3000}), [] {
    atomic<int> x{0};
    in_parallel_each(40, [&](unsigned) { x.fetch_add(1); });
    check(x.load() == 40);
  });
  EXPECT_EQ(report.verdict, Verdict::stopped) << report;
  EXPECT_EQ(report.classes, 3000U);
}

TEST(Threads, CanBe255BesideTheBodysOwn) {
  expect_to_pass(quietly({.strategy = "random", .max_executions = 20}), [] {
    atomic<int> x{0};
    in_parallel_each(255, [&](unsigned) { x.fetch_add(1); });
    check(x.load() == 255);
  });
}

}  // namespace

}  // namespace hocket::test
