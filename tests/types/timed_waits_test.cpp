// Waits whose time runs out: when that may be, what it needs, and what can have happened by the time that the
// thread goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "scheduler/schedules/schedule_text.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::array kCompleteStrategies{
    "icb", "dfs", "idfs", "delay", "hb-cache", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"};

/// A thread waits for a while with `lock`, then looks at what it waited for; another one sets that and
/// notifies.
template <class Mutex, class Condition>
unsigned give_up_or_be_told() {
  Mutex m;
  Condition condition;
  bool ready = false;
  unsigned outcome = 0;
  thread waiter([&] {
    std::unique_lock lock(m);
    if (ready) return;
    const bool gives_up = condition.wait_for(lock, 1ms) == cv_status::timeout;
    outcome = 1 + (gives_up ? 2 : 0) + (ready ? 1 : 0);
  });
  {
    const std::lock_guard lock(m);
    ready = true;
    condition.notify_one();
  }
  waiter.join();
  return outcome;
}
constexpr unsigned kDoesNotWait = 0;
constexpr unsigned kIsTold = 2;
constexpr unsigned kGivesUpBefore = 3;
constexpr unsigned kGivesUpAlthoughReady = 4;

TEST(ATimedWaitOnACondition, MayRunOutWhileSomebodyHoldsTheMutexAndSetsWhatIsWaitedFor) {
  EXPECT_THAT(outcomes_by_bound([] { return give_up_or_be_told<mutex, condition_variable>(); }),
      ElementsAre(Pair(kDoesNotWait, 0U), Pair(kIsTold, 0U), Pair(kGivesUpBefore, 1U),
          Pair(kGivesUpAlthoughReady, 1U)));
  EXPECT_THAT(outcomes_by_bound([] { return give_up_or_be_told<shared_mutex, condition_variable_any>(); }),
      ElementsAre(Pair(kDoesNotWait, 0U), Pair(kIsTold, 0U), Pair(kGivesUpBefore, 1U),
          Pair(kGivesUpAlthoughReady, 1U)));
}

TEST(ATimedWaitOnACondition, ThatRunsOutTooLateIsFoundByEveryStrategy) {
  for (const char* strategy : kCompleteStrategies) {
    Options options = exhaustively();
    options.strategy = strategy;
    const FoundFailure failure = failure_of(
        [] {
          check((give_up_or_be_told<mutex, condition_variable>()) != kGivesUpAlthoughReady,
              "gave up although it was ready");
        },
        options);
    EXPECT_EQ(failure.message, "gave up although it was ready") << strategy;
  }
}

TEST(ATimedWaitOnACondition, HasTheSameClassesUnderEveryReduction) {
  for (const char* strategy : {"dfs", "hb-cache", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    Options options = exhaustively();
    const auto body = [] { static_cast<void>(give_up_or_be_told<mutex, condition_variable>()); };
    const std::uint64_t classes = explored(body, options).classes;
    options.strategy = strategy;
    EXPECT_EQ(explored(body, options).classes, classes) << strategy;
  }
}

// One of two waiters hands on the notification that it gets, but gives up when its time is over.
TEST(ATimedWaitOnACondition, MayRunOutAfterItsNotificationWhichIsThenUsedUp) {
  const auto body = [] {
    mutex m;
    condition_variable condition;
    int waiting = 0;
    thread first([&] {
      name_this_thread("first");
      std::unique_lock lock(m);
      ++waiting;
      if (condition.wait_for(lock, 1s) == cv_status::no_timeout) condition.notify_one();
    });
    thread second([&] {
      std::unique_lock lock(m);
      ++waiting;
      condition.wait(lock);
    });
    {
      const std::lock_guard lock(m);
      assume(waiting == 2);
      condition.notify_one();
    }
    first.join();
    second.join();
  };
  for (const char* strategy : kCompleteStrategies) {
    Options options = exhaustively();
    options.strategy = strategy;
    const FoundFailure failure = failure_of(body, options);
    EXPECT_EQ(failure.kind, FailureKind::deadlock) << strategy;
    EXPECT_THAT(failure.message, HasSubstr("which could have woken first or thread 2, and woke first"))
        << strategy;
  }
  Options options = quietly();
  options.max_preemptions = 0;
  expect_to_pass(body, options);
}

TEST(ATimedWaitOnACondition, ShowsThatItRanOutAndThatItTookTheMutexAgain) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    condition_variable condition;
    name(m, "m");
    name(condition, "changed");
    thread waiter([&] {
      std::unique_lock lock(m);
      check(condition.wait_for(lock, 1ms) == cv_status::no_timeout, "too late");
    });
    waiter.join();
  });
  ASSERT_NE(failure.schedule, nullptr);
  const std::string text = render(*failure.schedule);
  EXPECT_THAT(text, HasSubstr("2  condition.wait changed "));
  EXPECT_THAT(text, HasSubstr("3  condition.wait changed expires "));
  EXPECT_THAT(text, HasSubstr("4  condition.reacquire changed → expired "));
}

TEST(ATimedWaitOnACondition, ThatIsOverAndCannotHaveTheMutexSaysSoInADeadlock) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    condition_variable changed;
    name(m, "m");
    name(changed, "changed");
    bool is_waiting = false;
    thread waiter([&] {
      std::unique_lock lock(m);
      is_waiting = true;
      changed.wait_for(lock, 1ms);
    });
    const std::lock_guard lock(m);
    assume(is_waiting);
    waiter.join();
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_THAT(failure.message, HasSubstr("waits to take m again (its wait on changed expired)"));
}

TEST(ACondition, MayBeDestroyedOnceItsWaiterHasGivenUp) {
  for (const char* strategy : kCompleteStrategies) {
    Options options = exhaustively();
    options.strategy = strategy;
    explored(
        [] {
          mutex m;
          auto condition = std::make_unique<condition_variable>();
          bool has_given_up = false;
          thread waiter([&] {
            std::unique_lock lock(m);
            has_given_up = condition->wait_for(lock, 1ms) == cv_status::timeout;
          });
          {
            const std::lock_guard lock(m);
            assume(has_given_up);
            condition.reset();
          }
          waiter.join();
        },
        options);
  }
}

// -- To wait for no time at all is to try

TEST(ATimedLock, ForNoTimeFailsAtNoPriceLikeTryLock) {
  const auto outcomes = outcomes_by_bound([] {
    timed_mutex m;
    recursive_timed_mutex r;
    shared_timed_mutex s;
    counting_semaphore<> none(0);
    std::string taken;
    m.lock();
    r.lock();
    s.lock();
    thread other([&] {
      taken += m.try_lock_for(0s) ? "m" : "";
      taken += r.try_lock_until(steady_clock::now() - 1s) ? "r" : "";
      taken += s.try_lock_for(-1s) ? "s" : "";
      taken += s.try_lock_shared_for(0s) ? "S" : "";
      taken += s.try_lock_shared_until(steady_clock::now() - 1s) ? "U" : "";
      taken += none.try_acquire_for(0s) ? "n" : "";
      check(steady_clock::now() == steady_clock::time_point{}, "time has passed");
    });
    other.join();
    m.unlock();
    r.unlock();
    s.unlock();
    return taken;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair("", 0U)));
}

TEST(ATimedLock, ForNoTimeSucceedsWhereTheLockIsFree) {
  explored([] {
    timed_mutex m;
    shared_timed_mutex s;
    counting_semaphore<> one(1);
    check(m.try_lock_for(0s) && s.try_lock_shared_for(0s) && one.try_acquire_for(0s));
    m.unlock();
    s.unlock_shared();
    check(s.try_lock_shared_until(steady_clock::now() + 1h));
    s.unlock_shared();
  });
}

}  // namespace

}  // namespace hocket::test
