// Loops that spin: fair searches, livelocks, and threads that do not yield.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kLineOfYield = __LINE__ + 12;

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

Options fairly(Options options) {
  options.fair = true;
  return quietly(options);
}

TEST(AFairSearch, BeginsByItselfWhereAThreadPollsUnderAMutex) {
  const Report report = explore("polls", poll_under_a_mutex, quietly());
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_TRUE(report.fair);
  EXPECT_THAT(report.note, HasSubstr("the search began anew, fairly"));
}

TEST(AFairSearch, SaysThatItCountedRoundsOfPollingAndWhere) {
  const Report report = explore("polls", poll_under_a_mutex, fairly({.strategy = "icb"}));
  EXPECT_TRUE(report.counts_polling);
  EXPECT_THAT(report.polls_at, ElementsAre(place(kLineOfYield)));
  EXPECT_THAT(to_text(report),
      HasSubstr("passed every schedule with at most 2 preemptions, counting rounds of polling (yield at " +
                place(kLineOfYield) + "): "));
}

TEST(ASearch, SaysThatItCountedFutileYields) {
  for (const char* strategy : {"icb", "cb-por", "hb-cache"}) {
    const Report report = explore("spins", spin_with_a_yield, quietly(strategy));
    EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
    EXPECT_FALSE(report.fair);
    EXPECT_THAT(to_text(report), HasSubstr("passed every schedule with at most 2 preemptions, counting "
                                           "rounds of polling (yield at bodies.hpp:"));
  }
}

TEST(ASearch, ThatCountedNoPollingSaysNothingOfIt) {
  const Report report = report_of(within(0), [] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1), x.store(2); }, [&] { x.store(3), yield(); });
  });
  EXPECT_FALSE(report.counts_polling);
  EXPECT_THAT(to_text(report), HasSubstr("passed every schedule with at most 0 preemptions: "));
}

TEST(AFairSearch, OfAPollingThreadComesToTheEndOfEachBound) {
  for (const char* strategy : {"icb", "delay"}) {
    const Report report =
        explore("polls", poll_under_a_mutex, fairly({.strategy = strategy, .max_preemptions = 5}));
    EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
    EXPECT_EQ(report.note, "");
    EXPECT_EQ(report.bounds.size(), 6U);
  }
}

// There is no end to the schedules of a loop that polls, so they leave some out.
TEST(AFairSearch, WithoutPricesSaysThatItIsASample) {
  for (const char* strategy : {"dfs", "idfs", "best-first"}) {
    for (const auto& body : {poll_under_a_mutex, spin_with_a_yield}) {
      const Report report = explore("polls", body, fairly({.strategy = strategy}));
      EXPECT_EQ(report.verdict, Verdict::passed_sample) << report;
      EXPECT_THAT(report.note,
          HasSubstr("were left out, including some that terminate, so that a pass is no guarantee"));
    }
  }
}

TEST(AFairSearch, WhereNobodyIsHeldBackPassesAsAnyOther) {
  const auto body = [] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          x.store(1);
          yield();
          x.store(2);
        },
        [&] { x.store(3); });
  };
  for (const char* strategy : {"icb", "dfs", "idfs", "best-first", "delay"}) {
    const Report report =
        explore("yields once", body, fairly({.strategy = strategy, .max_preemptions = unbounded}));
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
    EXPECT_EQ(report.classes, 3U) << strategy;
  }
}

/// Somebody yields twice and then looks, before another one has made a single step. That is not fair, but it
/// comes to an end, and goes wrong. Main polls, so that searches become fair by themselves.
void look_after_two_yields() {
  atomic<int> x{0};
  mutex m;
  bool is_done = false;
  thread setter([&] {
    x.store(1);
    const std::lock_guard lock(m);
    is_done = true;
  });
  thread looker([&] {
    yield();
    yield();
    check(x.load() == 1, "it looked too early");
  });
  for (;;) {
    {
      const std::lock_guard lock(m);
      if (is_done) break;
    }
    yield();
  }
  setter.join();
  looker.join();
}

TEST(AFairSearch, LosesNothingThatComesToAnEnd) {
  for (const char* strategy : {"icb", "delay", "random"}) {
    Options options = quietly({.strategy = strategy, .max_steps = 1000});
    options.max_preemptions = 4;  // or delays
    for (const bool from_the_start : {false, true}) {
      options.fair = from_the_start;
      EXPECT_EQ(failure_of(look_after_two_yields, options).message, "it looked too early") << strategy;
    }
  }
}

TEST(AFairSearch, ThatLosesSomethingThatComesToAnEndDoesNotPass) {
  for (const char* strategy : {"dfs", "idfs", "best-first"}) {
    const Report report =
        explore("looks", look_after_two_yields, quietly({.strategy = strategy, .max_steps = 1000}));
    EXPECT_EQ(report.verdict, Verdict::passed_sample) << strategy << report;
    EXPECT_THAT(report.note, HasSubstr("icb runs them, each at its price"));
  }
}

TEST(AFairSearch, CutsWhatIsUnfairOnlyWhereItHasNotEnded) {
  const Report report = explore(
      "polls", poll_under_a_mutex, fairly({.strategy = "icb", .max_preemptions = 20, .max_steps = 30}));
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_GT(report.pruned, 0U);
  EXPECT_THAT(report.note, HasSubstr("reached the limit of 30 steps and "));
}

TEST(AFairSearch, FindsWhatIsWrongBehindThePolling) {
  const std::string message = message_of(FailureKind::check, fairly({.strategy = "icb"}), [] {
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
  });
  EXPECT_EQ(message, "it had to wait");
}

TEST(AGuardAgainstPreemption, AroundALoopThatPollsIsNamed) {
  const std::string message = message_of(FailureKind::spin, [] {
    atomic<int> x{0};
    thread poller([&] {
      const no_preemption guard;
      while (x.load() == 0) yield();
    });
    x.store(1);
    poller.join();
  });
  EXPECT_THAT(message, HasSubstr("thread 1 spins under a no_preemption guard, until the limit of"));
  EXPECT_THAT(message, HasSubstr("while main could run. The same 2 steps repeat:"));
}

TEST(AFairSearch, IsRefusedByReductions) {
  for (const char* strategy : {"hb-cache", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    Options options = quietly({.strategy = strategy, .max_steps = 600, .fair = true});
    EXPECT_THROW(explore("polls", poll_under_a_mutex, options), std::invalid_argument) << strategy;
    options.fair = false;
    const Report report = explore("polls", poll_under_a_mutex, options);
    EXPECT_EQ(report.verdict, Verdict::stopped) << strategy;
    EXPECT_THAT(report.stopped_by, HasSubstr("cannot search fairly")) << strategy;
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
      "spinner spins without yielding, until the limit of 20000 steps is reached, while starter could run. "
      "The same step repeats:"
      "\n  spinner: atomic.load ready  at " +
          place(line) +
          "\nCall hocket::yield() in the loop, or wait with hocket::await, atomic::wait or a condition "
          "variable");
}

/// Threads that go on asking as long as others do.
void insist(std::size_t threads) {
  std::vector<std::unique_ptr<atomic<int>>> asking;
  for (std::size_t n = 0; n < threads; ++n) {
    asking.push_back(std::make_unique<atomic<int>>(1));
    name(*asking.back(), "asking " + std::to_string(n));
  }
  std::vector<thread> all;
  for (std::size_t n = 0; n < threads; ++n) {
    all.emplace_back([&, n] {
      while (asking[(n + 1) % threads]->load() != 0) {
        asking[n]->exchange(2);
        asking[n]->exchange(1);
        yield();
      }
    });
  }
  for (thread& each : all) each.join();
}

TEST(ALivelock, NamesWhatEachThreadRepeats) {
  for (const std::size_t threads : {1U, 2U, 3U}) {
    std::string message = failure_of([=] { insist(threads); }, quietly({.max_steps = 1'000})).message;
    std::string expected;
    for (std::size_t n = 0; n < threads; ++n) {
      const std::string thread = "\n  thread " + std::to_string(n + 1) + ": ";
      expected += thread + "atomic.load asking " + std::to_string((n + 1) % threads);
      expected += thread + "atomic.exchange asking " + std::to_string(n);
      expected += thread + "atomic.exchange asking " + std::to_string(n);
      expected += thread + "thread.yield";
    }
    message = std::regex_replace(message, std::regex("  at [^\n]*"), "");
    EXPECT_THAT(message, StartsWith("livelock: the same "));
    EXPECT_THAT(
        message, HasSubstr("until the limit of 1000 steps is reached, and every enabled thread takes part:" +
                           expected + "\n  main waits in join for thread 1 to end"));
  }
}

TEST(ALivelock, WithThreadsThatWaitForEverNamesThem) {
  const std::string message = message_of(FailureKind::livelock, [] {
    mutex m;
    name(m, "m");
    atomic<bool> never{false};
    in_parallel(
        [&] {
          m.lock();
          while (!never.load()) yield();
          m.unlock();
        },
        [&] { const std::lock_guard lock(m); });
  });
  EXPECT_THAT(message, HasSubstr("\n  thread 2 waits for m at "));
  EXPECT_THAT(message, HasSubstr("; thread 1 holds it since step 1 at "));
}

TEST(ALivelock, BesideADeadlockSaysWhoWaitsForWhom) {
  const std::string message = message_of(FailureKind::livelock, [] {
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
  EXPECT_THAT(message, HasSubstr("\nthread 1 and thread 2 wait for each other; let every thread take"));
}

// One more round costs nothing here, and neither does the expiry: without a look ahead the search would run
// one execution for each number of rounds, up to the step limit.
TEST(APollWithASleep, BesideAWaitForATimeMakesTheSearchFairAfterAFewRounds) {
  unsigned runs = 0;
  const Report report = report_of(quietly(), [&] {
    ++runs;
    atomic<bool> go{false};
    mutex m;
    condition_variable never;
    thread poller([&] {
      while (!go.load()) this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    {
      std::unique_lock lock(m);
      never.wait_for(lock, std::chrono::milliseconds(5));
    }
    go.store(true);
    poller.join();
  });
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_TRUE(report.fair);
  EXPECT_LT(runs, 1'000U);
}

TEST(AThreadThatSleepsManyTimes, IsNotTakenForOneThatPollsForEver) {
  bool was_in_time = false;
  const Report report = report_of(within(0), [&] {
    counting_semaphore<> done(0);
    thread works([&] {
      for (int n = 0; n < 150; ++n) this_thread::sleep_for(std::chrono::milliseconds(1));
      done.release();
    });
    was_in_time |= done.try_acquire_for(std::chrono::seconds(5));
    works.join();
  });
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_FALSE(report.fair);
  EXPECT_TRUE(was_in_time);
}

TEST(ALongExecution, IsNotTakenForALivelock) {
  const std::string message = message_of(FailureKind::step_limit, quietly({.max_steps = 100}), [] {
    atomic<int> x{0};
    for (int n = 0; n < 1000; ++n) x.store(n);
  });
  EXPECT_THAT(message, HasSubstr("raise max_steps (--hocket_steps)"));
}

TEST(ALivelock, ThatNobodyAskedForIsDropped) {
  const Report report =
      report_of(quietly({.max_steps = 200, .detect = Detectors().without(Detector::livelocks)}), [] {
        atomic<bool> never{false};
        while (!never.load()) yield();
      });
  EXPECT_EQ(report.dropped, 1U);
  EXPECT_EQ(report.stopped_by, "assume(), or a bug whose detector is off, in every execution");
  EXPECT_TRUE(report.failures.empty());
}

}  // namespace

}  // namespace hocket::test
