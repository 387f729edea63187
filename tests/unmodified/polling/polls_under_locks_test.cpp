// Loops that poll under a lock what it protects: they wait until somebody else has had the lock.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::polls_under_locks {

namespace {

/// Polls `is_ready`, plain data that `lock` protects.
template <class Lock>
void poll(typename Lock::mutex_type& mutex, const bool& is_ready, bool yields) {
  for (;;) {
    {
      const Lock lock(mutex);
      if (is_ready) return;
    }
    if (yields) std::this_thread::yield();
  }
}

/// In so many threads, while another one writes.
template <class Mutex, class Lock = std::unique_lock<Mutex>>
void poll_in_threads(unsigned count, bool yields) {
  Mutex mutex;
  bool is_ready = false;
  std::vector<std::thread> waiters(count);
  for (std::thread& waiter : waiters) {
    waiter = std::thread([&] { poll<Lock>(mutex, is_ready, yields); });
  }
  {
    const std::lock_guard lock(mutex);
    is_ready = true;
  }
  for (std::thread& waiter : waiters) waiter.join();
}

TEST(APollUnderALock, WaitsUntilSomebodyElseHasHadTheLock) {
  for (const bool yields : {false, true}) {
    SCOPED_TRACE(yields ? "yields" : "does not yield");
    explored_everywhere([&] { poll_in_threads<std::mutex>(1, yields); });
    explored_everywhere([&] { poll_in_threads<std::recursive_mutex>(1, yields); });
    explored_everywhere([&] { poll_in_threads<std::shared_mutex>(1, yields); });
    explored_everywhere(
        [&] { poll_in_threads<std::shared_mutex, std::shared_lock<std::shared_mutex>>(1, yields); });
  }
}

TEST(APollUnderALock, DoesNotWaitForOthersThatPoll) {
  explored_everywhere([] { poll_in_threads<std::mutex>(2, false); });
}

struct Guarded {
  std::mutex mutex;
  bool is_ready = false;

  [[gnu::noinline]] bool look() {
    const std::lock_guard lock(mutex);
    return is_ready;
  }
};

/// All looks of a round are made at the same place, by one function.
TEST(APollUnderALock, IsAlsoFoundWhereItBeginsToWaitLateAndARoundHasManyLooks) {
  const hocket::Report report = explored(
      [] {
        std::array<Guarded, 4> all;
        std::thread writer([&] {
          const std::lock_guard lock(all[3].mutex);
          all[3].is_ready = true;
        });
        constexpr int kPatience = 12;
        for (int rounds = 0; !all[0].look() && !all[1].look() && !all[2].look() && !all[3].look();) {
          if (rounds < kPatience) ++rounds;
        }
        writer.join();
      },
      within(1));
  EXPECT_LT(report.steps, report.executions * 400);
}

TEST(APollUnderALock, MayHoldAnotherOne) {
  explored_everywhere([] {
    std::mutex outer;
    std::mutex inner;
    bool is_ready = false;
    std::thread writer([&] {
      const std::lock_guard lock(inner);
      is_ready = true;
    });
    std::thread other([&] { const std::lock_guard lock(outer); });
    for (;;) {
      const std::lock_guard lock(outer);
      const std::lock_guard nested(inner);
      if (is_ready) break;
    }
    writer.join();
    other.join();
  });
}

TEST(APollUnderALock, WaitsAgainEachTimeAfterItWasWokenAlsoIfItsRoundIsLong) {
  for (const std::size_t count : {4U, 5U, 6U, 7U}) {
    const hocket::Report report = explored(
        [=] {
          std::vector<std::mutex> mutexes(count);
          bool is_ready = false;
          std::thread other([&] {
            for (unsigned n = 0; n < 6; ++n) {
              {
                const std::lock_guard lock(mutexes[0]);
                is_ready = n == 5;
              }
              std::this_thread::yield();
            }
          });
          for (bool is_over = false; !is_over;) {
            for (std::mutex& mutex : mutexes) {
              const std::lock_guard lock(mutex);
              is_over |= &mutex == mutexes.data() && is_ready;
            }
            std::this_thread::yield();
          }
          other.join();
        },
        within(0));
    EXPECT_EQ(report.note, "") << count;
  }
}

TEST(APollUnderALock, IsSeenByTheTriesOfOthers) {
  const auto outcomes = outcomes_by_bound([] {
    std::mutex mutex;
    bool is_ready = false;
    bool has_succeeded = false;
    std::thread other([&] {
      has_succeeded = mutex.try_lock();
      if (!has_succeeded) mutex.lock();
      is_ready = true;
      mutex.unlock();
    });
    poll<std::unique_lock<std::mutex>>(mutex, is_ready, false);
    other.join();
    return has_succeeded ? 1U : 0U;
  });
  EXPECT_EQ(outcomes, (Outcomes{{0, 1}, {1, 0}}));
}

TEST(APollUnderALock, IsGoneRoundAgainForEachTryThatItsLastRoundHasMadeFail) {
  constexpr unsigned kTries = 6;
  const hocket::FoundFailure failure = failure_of(
      [] {
        std::array<std::mutex, 2> mutexes;
        std::atomic<bool> is_ready{false};
        std::thread other([&] {
          unsigned failed = 0;
          for (unsigned n = 0; n < kTries; ++n) {
            if (!mutexes[n % 2].try_lock()) {
              ++failed;
            } else {
              mutexes[n % 2].unlock();
              break;
            }
          }
          // Each time in another section.
          hocket::check(failed < kTries, "all have failed");
          is_ready = true;
        });
        while (!is_ready) {
          for (std::mutex& mutex : mutexes) const std::lock_guard lock(mutex);
        }
        other.join();
      },
      with("cb-por"));
  EXPECT_NE(failure.message.find("all have failed"), std::string::npos) << failure.message;
}

TEST(APollUnderALock, ThatNobodyEndsIsALivelockThatSaysWhatIsPolled) {
  expect_failure(hocket::FailureKind::livelock, 0, "main polls what mutex 1 protects since step", [] {
    std::mutex mutex;
    bool is_ready = false;
    std::thread other([&] { const std::lock_guard lock(mutex); });
    poll<std::unique_lock<std::mutex>>(mutex, is_ready, false);
    other.join();
  });
}

TEST(APollUnderALock, WhoseTimeIsOverStillNeedsTheLock) {
  using Clock = std::chrono::steady_clock;
  explored_everywhere([] {
    const auto begin = Clock::now();
    std::mutex mutex;
    bool is_held = false;
    std::thread other([&] {
      const std::lock_guard lock(mutex);
      is_held = true;
      std::this_thread::yield();
      is_held = false;
    });
    for (;;) {
      {
        const std::lock_guard lock(mutex);
        if (is_held) hocket::check(false, "two threads have the lock");
      }
      if (Clock::now() - begin > std::chrono::microseconds(2)) break;
    }
    other.join();
  });
}

/// As a library does that is not instrumented.
__attribute__((noinline, no_sanitize("thread"))) void add_one(int* number) {
  ++*number;
}

TEST(APollUnderALock, IsNoneWhereItFindsOtherDataInEachRound) {
  static int count = 0;  // not on the stack, which is compared
  explored_everywhere([] {
    count = 0;
    std::mutex mutex;
    std::thread other([&] { const std::lock_guard lock(mutex); });
    for (;;) {
      const std::lock_guard lock(mutex);
      add_one(&count);
      if (count == 3) break;
    }
    other.join();
  });
}

}  // namespace

}  // namespace unmodified::polls_under_locks
