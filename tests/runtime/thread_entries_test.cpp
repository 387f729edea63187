// What a saved schedule says of each thread: when it was created and joined, and what it waits for at the
// end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/schedules/schedule.hpp"

#include "tests/support/failure_of.hpp"

namespace {

using hocket::Schedule;
using hocket::test::failure_of;
using testing::ElementsAre;
using testing::IsEmpty;

using Waiting = hocket::runtime::RecordedThread::Waiting;

const Waiting& waiting_of(const Schedule& schedule, std::size_t thread) {
  return schedule.threads.at(thread).waiting;
}

TEST(ThreadEntries, SayWhichLockEachThreadOfADeadlockWaitsForAndWhoHoldsIt) {
  const auto failure = failure_of([] {
    hocket::mutex fork;
    hocket::mutex knife;
    hocket::name(fork, "fork");
    hocket::name(knife, "knife");
    hocket::thread other([&] {
      const std::scoped_lock first(knife);
      const std::scoped_lock second(fork);
    });
    fork.lock();
    knife.lock();
    knife.unlock();
    fork.unlock();
    other.join();
  });
  const Schedule& schedule = *failure.schedule;
  EXPECT_EQ(waiting_of(schedule, 0).for_what, "lock");
  EXPECT_EQ(waiting_of(schedule, 0).object, "knife");
  EXPECT_THAT(waiting_of(schedule, 0).threads, ElementsAre(1U));
  EXPECT_EQ(waiting_of(schedule, 1).object, "fork");
  EXPECT_THAT(waiting_of(schedule, 1).threads, ElementsAre(0U));
}

TEST(ThreadEntries, SayThatAThreadWaitsForANotificationOrForTheEndOfAnother) {
  const auto failure = failure_of([] {
    hocket::mutex mutex;
    hocket::condition_variable changed;
    hocket::name(mutex, "mutex");
    hocket::name(changed, "changed");
    hocket::thread waiter([&] {
      std::unique_lock lock(mutex);
      changed.wait(lock);
    });
    waiter.join();
  });
  const Schedule& schedule = *failure.schedule;
  EXPECT_EQ(waiting_of(schedule, 0).for_what, "end");
  EXPECT_THAT(waiting_of(schedule, 0).threads, ElementsAre(1U));
  EXPECT_EQ(waiting_of(schedule, 1).for_what, "notification");
  EXPECT_EQ(waiting_of(schedule, 1).object, "changed");
  EXPECT_THAT(waiting_of(schedule, 1).threads, IsEmpty());
  EXPECT_EQ(schedule.choices.back().lock, "mutex") << "the wait gives it back";
}

TEST(ThreadEntries, SayBetweenWhichStepsAThreadIsCreatedAndJoined) {
  const auto failure = failure_of([] {
    hocket::atomic<int> count(0);
    count.store(1);
    hocket::thread first([&] { ++count; });
    first.join();
    count.store(2);
    hocket::thread second([] {});
    second.join();
    hocket::check(false, "it fails");
  });
  const auto& threads = failure.schedule->threads;
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_EQ(threads[0].joiner, -1);
  EXPECT_EQ(threads[1].made_after, 1U);
  EXPECT_EQ(threads[1].joiner, 0);
  EXPECT_EQ(threads[1].joined_after, 2U);
  EXPECT_EQ(threads[2].made_after, 3U);
  EXPECT_TRUE(waiting_of(*failure.schedule, 0).for_what.empty());
}

}  // namespace
