// Loops that spin: fair searches, livelocks, and threads that do not yield.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>

#include "tests/bodies.hpp"
#include "tests/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

/// A thread that looks for a flag under a mutex: each round writes, so no yield is futile.
void poll_under_a_mutex() {
  mutex m;
  bool is_done = false;
  thread poller([&] {
    for (;;) {
      {
        const std::lock_guard lock(m);
        if (is_done) return;
      }
      yield();
    }
  });
  {
    const std::lock_guard lock(m);
    is_done = true;
  }
  poller.join();
}

TEST(AFairSearch, BeginsByItselfWhereAThreadPollsUnderAMutex) {
  const Report report = explore("polls", poll_under_a_mutex, quietly());
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_TRUE(report.fair);
  EXPECT_THAT(report.note, HasSubstr("the search began anew"));
  EXPECT_THAT(to_text(report), HasSubstr("passed every fair schedule there is"));
}

TEST(AFairSearch, OfAPollingThreadComesToAnEnd) {
  for (const char* strategy : {"icb", "dfs", "idfs"}) {
    Options options = quietly();
    options.strategy = strategy;
    options.fair = true;
    options.max_preemptions = unbounded;
    const Report report = explore("polls", poll_under_a_mutex, options);
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.note, "");
  }
}

TEST(AFairSearch, OfASpinLoopWithAYieldComesToAnEnd) {
  Options options = quietly();
  options.strategy = "dfs";
  options.fair = true;
  const Report report = explore("spins", spin_with_a_yield, options);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
}

TEST(AFairSearch, FindsWhatIsWrongBehindThePolling) {
  Options options = quietly();
  options.fair = true;
  const FoundFailure failure = failure_of(
      [] {
        atomic<int> turn{0};
        atomic<int> rounds{0};
        thread other([&] {
          while (turn.load() == 0) {
            rounds.fetch_add(1);
            yield();
          }
          turn.store(2);
        });
        turn.store(1);
        other.join();
        check(rounds.load() == 0, "it had to wait");
      },
      options);
  EXPECT_EQ(failure.kind, FailureKind::check);
  EXPECT_EQ(failure.message, "it had to wait");
}

TEST(AGuardAgainstPreemption, AroundALoopThatPollsIsNamed) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    thread poller([&] {
      const no_preemption guard;
      while (x.load() == 0) yield();
    });
    x.store(1);
    poller.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::spin);
  EXPECT_THAT(failure.message, HasSubstr("thread 1 spins under a no_preemption guard, until the limit of"));
  EXPECT_THAT(failure.message, HasSubstr("while main could go on. The same 2 steps come again and again:"));
}

TEST(AFairSearch, IsRefusedByReductions) {
  for (const char* strategy : {"hb-cache", "hb-bitstate", "cb-por", "cb-por-basic", "dfs-sleep"}) {
    Options options = quietly();
    options.strategy = strategy;
    options.max_steps = 600;
    options.fair = true;
    EXPECT_THROW(explore("polls", poll_under_a_mutex, options), std::invalid_argument) << strategy;
    options.fair = false;
    const Report report = explore("polls", poll_under_a_mutex, options);
    EXPECT_EQ(report.verdict, Verdict::stopped) << strategy;
    EXPECT_THAT(report.stopped_by, HasSubstr("cannot leave such schedules out")) << strategy;
  }
}

TEST(AThreadThatSpinsWithoutYielding, IsNamedWithThoseThatItStarves) {
  int line = 0;
  const FoundFailure failure = failure_of([&] {
    atomic<bool> ready{false};
    name(ready, "ready");
    name_this_thread("starter");
    thread spinner([&] {
      name_this_thread("spinner");
      line = __LINE__ + 1;
      while (!ready.load()) {
      }
    });
    ready.store(true);
    spinner.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::spin);
  EXPECT_EQ(failure.bound, 0U);
  EXPECT_EQ(failure.message,
      "spinner spins without yielding, until the limit of 20000 steps is reached, while starter could go on. "
      "The "
      "same step comes again and again:"
      "\n  spinner: atomic.load ready  at " +
          place(line) +
          "\nCall hocket::yield() in the loop, or wait with hocket::await, atomic::wait or a condition "
          "variable");
}

TEST(ALivelock, ShowsTheRound) {
  const FoundFailure failure = failure_of([] {
    atomic<int> asking{0};
    name(asking, "asking");
    const auto insist = [&](int mine) {
      for (;;) {
        asking.fetch_or(mine);
        yield();
        if (asking.load() == mine) return;  // and goes on asking, so that the other one never gets its way
        asking.fetch_and(~mine);
        yield();
      }
    };
    in_parallel([&] { insist(1); }, [&] { insist(2); });
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
  EXPECT_THAT(failure.message, HasSubstr("livelock: the same 5 steps come again and again until "));
  EXPECT_THAT(failure.message, HasSubstr("everybody who can go on has a turn:\n"));
  EXPECT_THAT(failure.message, HasSubstr("\n  thread 2: atomic.fetch_and asking  at "));
  EXPECT_THAT(failure.message, HasSubstr(" in join for thread 2 to end"));
}

TEST(ALivelock, WithThreadsThatWaitForEverNamesThem) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    name(m, "m");
    atomic<bool> never{false};
    thread holder([&] {
      m.lock();
      while (!never.load()) yield();
      m.unlock();
    });
    thread waiter([&] { const std::lock_guard lock(m); });
    holder.join();
    waiter.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
  EXPECT_THAT(failure.message, HasSubstr("\n  thread 2 waits for m at "));
  EXPECT_THAT(failure.message, HasSubstr("; thread 1 holds it since step 1 at "));
}

TEST(ALivelock, BesideADeadlockSaysWhoWaitsForWhom) {
  const FoundFailure failure = failure_of([] {
    mutex a;
    mutex b;
    atomic<bool> stop{false};
    thread one([&] {
      const std::scoped_lock first(a);
      const std::scoped_lock second(b);
    });
    thread other([&] {
      const std::scoped_lock first(b);
      const std::scoped_lock second(a);
    });
    thread spinner([&] {
      while (!stop.load()) yield();
    });
    one.join();
    other.join();
    stop.store(true);
    spinner.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
  EXPECT_THAT(
      failure.message, HasSubstr("\nthread 1 and thread 2 wait for each other; let every thread take"));
}

TEST(ALongExecution, IsNotTakenForALivelock) {
  Options options = quietly();
  options.max_steps = 100;
  const FoundFailure failure = failure_of(
      [] {
        atomic<int> x{0};
        for (int n = 0; n < 1000; ++n) x.store(n);
      },
      options);
  EXPECT_EQ(failure.kind, FailureKind::step_limit);
  EXPECT_THAT(failure.message, HasSubstr("raise max_steps (--hocket_steps)"));
}

TEST(ALivelock, ThatNobodyAskedForIsDropped) {
  Options options = quietly();
  options.max_steps = 200;
  options.detect = options.detect.without(Detector::livelocks);
  const Report report = explore(
      "spins",
      [] {
        atomic<bool> never{false};
        while (!never.load()) yield();
      },
      options);
  EXPECT_EQ(report.dropped, 1U);
  EXPECT_EQ(report.stopped_by, "assume(), or a bug that is not looked for, in every execution");
  EXPECT_TRUE(report.failures.empty());
}

}  // namespace

}  // namespace hocket::test
