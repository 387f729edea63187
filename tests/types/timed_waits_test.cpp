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
#include "tests/support/bodies_of_any_types.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::array kCompleteStrategies{"icb", "dfs", "idfs", "best-first", "delay", "hb-cache", "icb-por",
    "cb-por", "cb-por-basic", "dpor", "dfs-sleep"};

TEST(ATimedWaitOnACondition, MayRunOutWhileSomebodyHoldsTheMutexAndSetsWhatIsWaitedFor) {
  EXPECT_THAT(outcomes_by_bound([] { return wait_for_a_while<mutex, condition_variable, thread>(); }),
      ElementsAre(Pair(WaitEnds::not_begun, 0U), Pair(WaitEnds::told, 0U), Pair(WaitEnds::late_before, 1U),
          Pair(WaitEnds::late_although_ready, 1U)));
  EXPECT_THAT(
      outcomes_by_bound([] { return wait_for_a_while<shared_mutex, condition_variable_any, thread>(); }),
      ElementsAre(Pair(WaitEnds::not_begun, 0U), Pair(WaitEnds::told, 0U), Pair(WaitEnds::late_before, 1U),
          Pair(WaitEnds::late_although_ready, 1U)));
}

TEST(ATimedWaitOnACondition, ThatRunsOutTooLateIsFoundByEveryStrategy) {
  for (const char* strategy : kCompleteStrategies) {
    const FoundFailure failure = failure_of(with(strategy), [] {
      check((wait_for_a_while<mutex, condition_variable, thread>()) != WaitEnds::late_although_ready,
          "gave up although it was ready");
    });
    EXPECT_EQ(failure.message, "gave up although it was ready") << strategy;
  }
}

TEST(ATimedWaitOnACondition, HasTheSameClassesUnderEveryReduction) {
  for (const char* strategy : {"dfs", "hb-cache", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    Options options = exhaustively();
    const auto body = [] { static_cast<void>(wait_for_a_while<mutex, condition_variable, thread>()); };
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
    const std::string message = message_of(FailureKind::deadlock, body, with(strategy));
    EXPECT_THAT(message, HasSubstr("which could have woken first or thread 2, and woke first")) << strategy;
  }
  expect_to_pass(body, within(0));
}

TEST(ATimedWaitOnACondition, ShowsThatItRanOutAndThatItTookTheMutexAgain) {
  const FoundFailure failure = failure_of([] {
    mutex m;
    condition_variable condition;
    name(m, "m");
    name(condition, "changed");
    thread([&] {
      std::unique_lock lock(m);
      check(condition.wait_for(lock, 1ms) == cv_status::no_timeout, "too late");
    }).join();
  });
  ASSERT_NE(failure.schedule, nullptr);
  const std::string text = render(*failure.schedule);
  EXPECT_THAT(text, HasSubstr("2  condition.wait changed "));
  EXPECT_THAT(text, HasSubstr("3  condition.wait changed expires "));
  EXPECT_THAT(text, HasSubstr("4  condition.reacquire changed → expired "));
}

TEST(ATimedWaitOnACondition, ThatIsOverAndCannotHaveTheMutexSaysSoInADeadlock) {
  const std::string message = message_of(FailureKind::deadlock, [] {
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
  EXPECT_THAT(message, HasSubstr("waits to take m again (its wait on changed expired)"));
}

TEST(ACondition, MayBeDestroyedOnceItsWaiterHasGivenUp) {
  for (const char* strategy : kCompleteStrategies) {
    explored(with(strategy), [] {
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
    });
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
    thread([&] {
      taken += m.try_lock_for(0s) ? "m" : "";
      taken += r.try_lock_until(steady_clock::now() - 1s) ? "r" : "";
      taken += s.try_lock_for(-1s) ? "s" : "";
      taken += s.try_lock_shared_for(0s) ? "S" : "";
      taken += s.try_lock_shared_until(steady_clock::now() - 1s) ? "U" : "";
      taken += none.try_acquire_for(0s) ? "n" : "";
      check(steady_clock::now() == steady_clock::time_point{}, "time has passed");
    }).join();
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
