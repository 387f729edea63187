// Condition variables: who wakes up, when, and at what price.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(NotifyOne, WakesAnyOfTheWaiters) {
  std::set<int> woken;
  explored(within(1), [&] {
    mutex m;
    condition_variable condition;
    int waiting = 0;
    int first = -1;
    const auto wait = [&](int who) {
      std::unique_lock lock(m);
      ++waiting;
      condition.wait(lock);
      if (first < 0) first = who;
    };
    thread notifier([&] {
      {
        const std::lock_guard guard(m);
        assume(waiting == 3);
      }
      condition.notify_one();
      {
        const std::lock_guard guard(m);
        assume(first >= 0);
      }
      condition.notify_all();
    });
    in_parallel([&] { wait(0); }, [&] { wait(1); }, [&] { wait(2); });
    notifier.join();
    woken.insert(first);
  });
  EXPECT_THAT(woken, ElementsAre(0, 1, 2));
}

TEST(ANotification, ThatNobodyWaitsForIsLost) {
  const FoundFailure failure = failure_of(quietly(), [] {
    mutex m;
    condition_variable condition;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          condition.wait(lock);
        },
        [&] { condition.notify_all(); });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_EQ(failure.bound, 0U);
}

TEST(ACondition, WithAPredicateIsWaitedForCorrectly) {
  const Report report = explored([] {
    mutex m;
    condition_variable condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          condition.wait(lock, [&] { return ready; });
          check(ready);
        },
        [&] {
          {
            const std::lock_guard guard(m);
            ready = true;
          }
          condition.notify_one();
        });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

TEST(ACondition, MayBeDestroyedOnceItsWaitersHaveBeenNotified) {
  for (const char* strategy : {"icb", "hb-cache", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    const Report report = report_of(with(strategy), [] {
      mutex m;
      auto condition = std::make_unique<condition_variable>();
      bool ready = false;
      thread waiter([&] {
        std::unique_lock lock(m);
        if (!ready) condition->wait(lock, [&] { return ready; });
      });
      {
        const std::lock_guard guard(m);
        ready = true;
        condition->notify_all();
        condition.reset();
      }
      waiter.join();
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
    EXPECT_EQ(report.classes, 2U) << strategy;
  }
}

TEST(ConditionVariableAny, WorksWithAnyLock) {
  explored([] {
    shared_mutex m;
    condition_variable_any condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::shared_lock lock(m);
          condition.wait(lock, [&] { return ready; });
        },
        [&] {
          {
            const std::unique_lock lock(m);
            ready = true;
          }
          condition.notify_all();
        });
  });
}

TEST(ATimedWait, ExpiresWhenNobodyElseCanGoOn) {
  explored([] {
    mutex m;
    condition_variable condition;
    std::unique_lock lock(m);
    check(condition.wait_for(lock, 10ms) == cv_status::timeout);
    check(!condition.wait_for(lock, 10ms, [] { return false; }));
    check(condition.wait_until(lock, steady_clock::now() + 1s) == cv_status::timeout);
    check(lock.owns_lock());
  });
}

TEST(ATimedWait, ExpiresForOnePreemptionWhileAnotherThreadCanGoOn) {
  const auto outcomes = outcomes_by_bound([] {
    mutex m;
    condition_variable condition;
    bool is_waiting = false;
    cv_status status = cv_status::no_timeout;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          is_waiting = true;
          status = condition.wait_for(lock, 1s);
        },
        [&] {
          const std::lock_guard guard(m);
          assume(is_waiting);
          condition.notify_one();
        });
    return status == cv_status::timeout;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(false, 0U), Pair(true, 1U)));
}

TEST(SpuriousWakeUps, HappenOnlyWhenAskedForAndCostOnePreemption) {
  const auto body = [] {
    mutex m;
    condition_variable condition;
    bool ready = false;
    bool woken_for_nothing = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          if (!ready) condition.wait(lock);
          woken_for_nothing = !ready;
        },
        [&] {
          const std::lock_guard guard(m);
          ready = true;
          condition.notify_one();
        });
    return woken_for_nothing;
  };
  EXPECT_THAT(outcomes_by_bound(body), ElementsAre(Pair(false, 0U)));
  EXPECT_THAT(outcomes_by_bound(body, quietly({.spurious_wakeups = true})),
      ElementsAre(Pair(false, 0U), Pair(true, 1U)));
}

TEST(SpuriousWakeUps, DoNotHideADeadlock) {
  const Report report = report_of(quietly({.spurious_wakeups = true}), [] {
    mutex m;
    condition_variable condition;
    std::unique_lock lock(m);
    condition.wait(lock);
  });
  EXPECT_EQ(report.verdict, Verdict::failed) << report;
}

}  // namespace

}  // namespace hocket::test
