// std::condition_variable and std::condition_variable_any.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <stop_token>
#include <thread>

#include "tests/support/bodies_of_any_types.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using hocket::test::wait_for_a_while;

TEST(AStdConditionVariable, HandsOnWhatAQueueGets) {
  explored([] {
    std::mutex m;
    std::condition_variable changed;
    std::queue<int> queue;
    int sum = 0;
    in_parallel(
        [&] {
          for (int n = 1; n <= 2; ++n) {
            {
              const std::lock_guard guard(m);
              queue.push(n);
            }
            changed.notify_one();
          }
        },
        [&] {
          for (int n = 0; n < 2; ++n) {
            std::unique_lock lock(m);
            changed.wait(lock, [&] { return !queue.empty(); });
            sum += queue.front();
            queue.pop();
          }
        });
    check(sum == 3);
  });
}

TEST(AStdConditionVariable, ThatIsNotifiedBeforeTheWaitIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    std::mutex m;
    std::condition_variable changed;
    in_parallel([&] { changed.notify_one(); },
        [&] {
          std::unique_lock lock(m);
          changed.wait(lock);
        });
  });
}

TEST(AStdConditionVariable, NotifiesOneOfItsWaitersWhicheverOrAll) {
  const auto woken = [](bool all) {
    return [all] {
      std::mutex m;
      std::condition_variable changed;
      unsigned waiting = 0;
      unsigned woken_threads = 0;
      bool may_end = false;
      const auto wait = [&](unsigned bit) {
        std::unique_lock lock(m);
        ++waiting;
        changed.wait(lock);
        if (!may_end) woken_threads |= bit;
        may_end = true;
        changed.notify_all();
      };
      in_parallel([&] { wait(1); }, [&] { wait(2); },
          [&] {
            const std::lock_guard guard(m);
            hocket::assume(waiting == 2);
            all ? changed.notify_all() : changed.notify_one();
          });
      return woken_threads;
    };
  };
  EXPECT_EQ(outcomes_by_bound(woken(false), exhaustively(), 1), (Outcomes{{1, 0}, {2, 0}}));
  EXPECT_EQ(outcomes_by_bound(woken(true), exhaustively(), 1), (Outcomes{{1, 0}, {2, 0}}));
}

TEST(AStdConditionVariable, WakesForNoReasonWhenThatIsAskedFor) {
  const FoundFailure failure = failure_of(exhaustively({.spurious_wakeups = true}), [] {
    std::mutex m;
    std::condition_variable changed;
    bool is_done = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          if (!is_done) changed.wait(lock);
          check(is_done, "woken for no reason");
        },
        [&] {
          const std::lock_guard guard(m);
          is_done = true;
          changed.notify_one();
        });
  });
  EXPECT_EQ(failure.kind, FailureKind::check);
  EXPECT_EQ(failure.bound, 1U);
}

template <class Wait>
Outcomes outcomes_of_timed_wait(const Wait& wait) {
  return outcomes_by_bound([&wait] {
    std::mutex m;
    std::condition_variable changed;
    bool is_done = false;
    unsigned in_time = 0;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          if (!is_done) {
            in_time = wait(changed, lock) == std::cv_status::no_timeout ? 1 : 0;
          } else {
            in_time = 1;
          }
        },
        [&] {
          {
            const std::lock_guard guard(m);
            is_done = true;
          }
          changed.notify_one();
        });
    return in_time;
  });
}

TEST(AStdConditionVariable, IsNotifiedInTimeOrItsTimeRunsOut) {
  const Outcomes either{{0, 1}, {1, 0}};
  EXPECT_EQ(
      outcomes_of_timed_wait([](auto& changed, auto& lock) { return changed.wait_for(lock, 1ms); }), either);
  EXPECT_EQ(outcomes_of_timed_wait([](auto& changed, auto& lock) {
    return changed.wait_until(lock, std::chrono::system_clock::now() + 1ms);
  }),
      either);
  EXPECT_EQ(outcomes_of_timed_wait([](auto& changed, auto& lock) {
    return changed.wait_until(lock, std::chrono::steady_clock::now() + 1ms);
  }),
      either);
}

TEST(AStdConditionVariable, MayBeGivenUpAlthoughWhatIsWaitedForHasBeenSetMeanwhile) {
  const std::set<unsigned> does_not_wait_or_is_told_or_late_before_or_after{0, 2, 3, 4};
  EXPECT_EQ(outcomes_of(wait_for_a_while<std::mutex, std::condition_variable, std::thread>),
      does_not_wait_or_is_told_or_late_before_or_after);
  EXPECT_EQ(outcomes_of(wait_for_a_while<std::shared_mutex, std::condition_variable_any, std::thread>),
      does_not_wait_or_is_told_or_late_before_or_after);
}

TEST(AStdConditionVariable, WithATimeThatNobodyNotifiesWaitsSoLong) {
  explored([] {
    std::mutex m;
    std::condition_variable changed;
    std::unique_lock lock(m);
    const auto begin = std::chrono::steady_clock::now();
    check(!changed.wait_for(lock, 20ms, [] { return false; }));
    check(std::chrono::steady_clock::now() - begin >= 20ms);
  });
}

TEST(AStdConditionVariable, WaitedForWithoutTheMutexIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "without holding", [] {
    std::mutex m;
    std::condition_variable changed;
    std::unique_lock lock(m);
    m.unlock();
    changed.wait(lock);
  });
}

TEST(AStdConditionVariable, DestroyedWhileAnotherIsAboutToNotifyItIsFound) {
  expect_failure(FailureKind::data_race, 0, "main frees block 1 at", [] {
    std::mutex m;
    auto changed = std::make_unique<std::condition_variable>();
    bool is_done = false;
    std::thread t([&, notified = changed.get()] {
      {
        const std::lock_guard guard(m);
        is_done = true;
      }
      notified->notify_one();
    });
    {
      std::unique_lock lock(m);
      changed->wait(lock, [&] { return is_done; });
    }
    changed.reset();
    t.join();
  });
}

TEST(AStdConditionVariableAny, WaitsWithASharedMutex) {
  explored(within(1), [] {
    std::shared_mutex m;
    std::condition_variable_any changed;
    bool is_done = false;
    in_parallel(
        [&] {
          std::shared_lock lock(m);
          changed.wait(lock, [&] { return is_done; });
        },
        [&] {
          {
            const std::unique_lock lock(m);
            is_done = true;
          }
          changed.notify_all();
        });
  });
}

TEST(AStdConditionVariableAny, IsWokenByAStopRequest) {
  explored(within(1), [] {
    std::mutex m;
    std::condition_variable_any changed;
    std::jthread t([&](const std::stop_token& token) {
      std::unique_lock lock(m);
      check(!changed.wait(lock, token, [] { return false; }));
    });
  });
}

TEST(NotifyAllAtThreadExit, UnlocksAndNotifiesWhenTheThreadHasEnded) {
  explored(within(2), [] {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    std::thread t([&] {
      std::unique_lock lock(mutex);
      is_done = true;
      std::notify_all_at_thread_exit(changed, std::move(lock));
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_done; });
    lock.unlock();
    t.join();
  });
}

TEST(NotifyAllAtThreadExit, IsLostOnOneWhoWaitsWithoutLooking) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    std::mutex mutex;
    std::condition_variable changed;
    std::thread t([&] {
      std::unique_lock lock(mutex);
      std::notify_all_at_thread_exit(changed, std::move(lock));
    });
    std::unique_lock lock(mutex);
    changed.wait(lock);
    lock.unlock();
    t.join();
  });
}

}  // namespace

}  // namespace unmodified
