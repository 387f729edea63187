// Threads that wait for a time to come, or for each other's timeouts, by looking again and again: time passes
// for them. What waits for ever all the same is a livelock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <mutex>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Under every strategy that can search fairly nothing is wrong with `body`, in as many executions as there
/// is time for; the others do not claim that there is.
void expect_that_time_passes(const std::function<void()>& body) {
  for (const char* strategy :
      {"icb", "dfs", "idfs", "best-first", "delay", "random", "pct", "pos", "urw", "sticky", "mix"}) {
    const Report report = explore(
        "time passes", body, quietly({.strategy = strategy, .max_executions = 1000, .max_steps = 5000}));
    EXPECT_FALSE(report.failed()) << strategy << "\n" << report;
    EXPECT_GT(report.executions, 0U) << strategy << "\n" << report;
    EXPECT_EQ(report.dropped, 0U) << strategy << "\n" << report;
  }
  for (const char* strategy : {"cb-por", "hb-cache", "icb-por", "dpor", "dfs-sleep"}) {
    const Options options = quietly({.strategy = strategy, .max_executions = 200, .max_steps = 5000});
    EXPECT_FALSE(explore("time passes", body, options).failed()) << strategy;
  }
}

/// A flag or a number that threads look at under a mutex, so that each look writes and no yield is futile.
class Guarded {
 public:
  int get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(int value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }
  bool has_come(std::chrono::nanoseconds time) {
    const std::lock_guard lock(mutex_);
    return steady_clock::now().time_since_epoch() >= time;
  }

 private:
  mutex mutex_;
  int value_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------
// A time comes

TEST(TimePasses, ForOneThatSleepsWhileAnotherWorks) {
  expect_that_time_passes([] {
    Guarded clock;
    in_parallel(
        [&] {
          while (!clock.has_come(3ms)) this_thread::sleep_for(1ms);
        },
        [&] {
          for (int n = 0; n < 3; ++n) clock.set(n);
        });
  });
}

TEST(TimePasses, ForTwoThatLookAtTheClockUnderAMutexAndSleep) {
  expect_that_time_passes([] {
    Guarded clock;
    const auto wait = [&] {
      while (!clock.has_come(3ms)) this_thread::sleep_for(1ms);
    };
    in_parallel(wait, wait);
  });
}

TEST(TimePasses, ForThreeThatSleepInDifferentPeriods) {
  expect_that_time_passes([] {
    Guarded clock;
    in_parallel_each(3, [&](unsigned n) {
      while (!clock.has_come(12ms)) this_thread::sleep_for(n * 3ms + 1ms);
    });
  });
}

TEST(TimePasses, ForTwoThatSleepUntilADeadline) {
  expect_that_time_passes([] {
    Guarded clock;
    in_parallel_each(2, [&](unsigned n) {
      const auto deadline = steady_clock::now() + (n + 2) * 1ms;
      while (!clock.has_come(deadline.time_since_epoch())) this_thread::sleep_until(deadline);
    });
  });
}

TEST(TimePasses, ForOneThatPollsWhatASleeperSets) {
  expect_that_time_passes([] {
    Guarded state;
    in_parallel(
        [&] {
          while (!state.has_come(3ms)) this_thread::sleep_for(1ms);
          state.set(1);
        },
        [&] {
          while (state.get() == 0) yield();
        });
  });
}

TEST(TimePasses, ForTwoOfWhichEachWaitsForTheOtherInTurn) {
  expect_that_time_passes([] {
    Guarded state;
    in_parallel_each(2, [&](unsigned n) {
      for (int round = 0; round < 2; ++round) {
        while (state.get() % 2 != static_cast<int>(n)) this_thread::sleep_for(1ms);
        state.set(state.get() + 1);
      }
    });
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// A wait expires

TEST(TimePasses, ForOneThatTriesToLockForATimeWhileTheHolderPolls) {
  for (const bool sleeps : {false, true}) {
    expect_that_time_passes([sleeps] {
      timed_mutex held;
      Guarded attempts;
      in_parallel(
          [&] {
            const std::lock_guard lock(held);
            while (attempts.get() < 2) sleeps ? this_thread::sleep_for(1ms) : yield();
          },
          [&] {
            int n = 0;
            while (!held.try_lock_for(3ms)) attempts.set(++n);
            held.unlock();
            attempts.set(2);
          });
    });
  }
}

TEST(TimePasses, ForAWaitInALoopWithAPredicateThatNobodyNotifies) {
  for (const bool sleeps : {false, true}) {
    expect_that_time_passes([sleeps] {
      mutex m;
      condition_variable condition;
      int rounds = 0;
      const auto has_seen = [&](int enough) {
        const std::lock_guard lock(m);
        return rounds >= enough;
      };
      in_parallel(
          [&] {
            std::unique_lock lock(m);
            while (!condition.wait_for(lock, 2ms, [&] { return ++rounds >= 4; })) {
            }
          },
          [&] {
            while (!has_seen(4)) sleeps ? this_thread::sleep_for(1ms) : yield();
          });
    });
  }
}

TEST(TimePasses, ForOneThatAcquiresForATimeAgainAndAgain) {
  expect_that_time_passes([] {
    counting_semaphore<> semaphore(0);
    Guarded clock;
    in_parallel(
        [&] {
          while (!semaphore.try_acquire_for(2ms)) {
          }
        },
        [&] {
          while (!clock.has_come(3ms)) this_thread::sleep_for(1ms);
          semaphore.release();
        });
  });
}

TEST(TimePasses, OnlyWhenThoseWhoCanGoOnHaveGivenWay) {
  const Report report = report_of(quietly({.max_preemptions = 0, .fair = true}), [] {
    Guarded work;
    in_parallel(
        [&] {
          for (int n = 1; n <= 20; ++n) work.set(n);
        },
        [&] {
          while (work.get() < 20) this_thread::sleep_for(1ms);
          check(steady_clock::now().time_since_epoch() == 0ms, "the other one could go on");
        });
  });
  EXPECT_FALSE(report.failed()) << report;
}

TEST(ALongWait, ForATimeThatIsFarAwayIsNoLivelock) {
  for (const unsigned threads : {1U, 2U}) {
    const std::string message = message_of(FailureKind::step_limit, quietly({.max_steps = 1000}), [threads] {
      Guarded clock;
      in_parallel_each(threads, [&](unsigned) {
        while (!clock.has_come(10s)) this_thread::sleep_for(1ms);
      });
    });
    EXPECT_THAT(message, HasSubstr(" steps repeat:\n"));
    EXPECT_THAT(message, HasSubstr("\nTime is advancing: "));
    EXPECT_THAT(message, HasSubstr(" ms have passed so far."));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// What waits for ever

TEST(ALivelock, OfOneThatLooksAtTheClockAndYieldsSaysHowTimePasses) {
  const std::string message = message_of(FailureKind::livelock, [] {
    while (steady_clock::now().time_since_epoch() < 1s) yield();
  });
  EXPECT_THAT(message, HasSubstr("\nThe clock stands still: it moves only while threads sleep"));
}

TEST(AThreadThatSpinsWithoutYielding, OnTheClockIsToldHowTimePasses) {
  const std::string message = message_of(FailureKind::spin, [] {
    atomic<int> x{0};
    in_parallel(
        [] {
          while (steady_clock::now().time_since_epoch() < 1s) {
          }
        },
        [&] { x.store(1); });
  });
  EXPECT_THAT(message, HasSubstr("\nThe clock stands still: it moves only while threads sleep"));
}

TEST(ALivelock, OfTwoThatSleepAndPollForWhatNobodySets) {
  const std::string message = message_of(FailureKind::livelock, [] {
    Guarded never;
    const auto wait = [&] {
      while (never.get() == 0) this_thread::sleep_for(1ms);
    };
    in_parallel(wait, wait);
  });
  EXPECT_THAT(message, HasSubstr(" steps repeat"));
}

TEST(ALivelock, OfTwoThatSleepWithoutAMutexAndPollForWhatNobodySets) {
  const FoundFailure failure = failure_of([] {
    atomic<int> never{0};
    const auto wait = [&] {
      while (never.load() == 0) this_thread::sleep_for(1ms);
    };
    in_parallel(wait, wait);
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
}

TEST(ALivelock, OfAWaitInALoopForWhatNobodySets) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    condition_variable condition;
    Guarded never;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          while (!condition.wait_for(lock, 2ms, [] { return false; })) {
          }
        },
        [&] {
          while (never.get() == 0) this_thread::sleep_for(1ms);
        });
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
}

TEST(ALivelock, OfOneThatTriesToLockForATimeWhatIsNeverReleased) {
  const FoundFailure failure = failure_of([] {
    timed_mutex held;
    Guarded never;
    in_parallel(
        [&] {
          const std::lock_guard lock(held);
          while (never.get() == 0) yield();
        },
        [&] {
          while (!held.try_lock_for(3ms)) {
          }
          held.unlock();
        });
  });
  EXPECT_EQ(failure.kind, FailureKind::livelock);
}

}  // namespace

}  // namespace hocket::test
