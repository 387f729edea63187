// Mutexes of every kind: what they exclude, and when they give up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "tests/support/bodies.hpp"
#include "tests/support/bodies_of_any_types.hpp"
#include "tests/support/explored.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(AMutex, ExcludesAndALockThatCannotBeTakenIsNoStep) {
  EXPECT_EQ(explored(hold_a_mutex_alone<mutex, thread>).executions, 6U);
}

TEST(AMutex, IsMadeByEmptyBraces) {
  const Report report = explore("braces", [] {
    std::array<mutex, 2> mutexes{};
    std::array<condition_variable, 1> conditions{};
    recursive_mutex recursive = {};
    timed_mutex timed = {};
    recursive_timed_mutex both = {};
    shared_mutex shared = {};
    shared_timed_mutex shared_timed = {};
    const scoped_lock lock(mutexes[0], mutexes[1], recursive, timed, both, shared, shared_timed);
    conditions[0].notify_all();
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
}

TEST(TryLock, IsAStepThatMayFail) {
  const auto outcomes = outcomes_by_bound(
      [] { return try_beside_a_holder<mutex, thread>([](mutex& m) { return m.try_lock(); }); });
  EXPECT_THAT(outcomes, ElementsAre(Pair(0U, 1U), Pair(1U, 0U)));
}

TEST(ARecursiveMutex, IsHeldUntilTheLastUnlock) {
  explored(hold_a_recursive_mutex_until_the_last_unlock<recursive_mutex, thread>);
}

TEST(ASharedMutex, LetsReadersInTogetherAndWritersAlone) {
  int most_readers = 0;
  explored([&] {
    shared_mutex m;
    atomic<int> step{0};
    int readers = 0;
    int writers = 0;
    const auto read = [&] {
      const std::shared_lock lock(m);
      ++readers;
      check(writers == 0, "a reader beside a writer");
      most_readers = std::max(most_readers, readers);
      step.load();
      --readers;
    };
    in_parallel(read, read, [&] {
      const std::unique_lock lock(m);
      ++writers;
      check(readers == 0, "a writer beside a reader");
      step.load();
      --writers;
    });
  });
  EXPECT_EQ(most_readers, 2);
}

TEST(ASharedMutex, IsRefusedToTryLockWhileItIsRead) {
  const auto outcomes = outcomes_by_bound([] {
    shared_mutex m;
    std::pair<bool, bool> got;
    in_parallel([&] { const std::shared_lock lock(m); },
        [&] {
          got.first = m.try_lock();
          if (got.first) m.unlock();
        },
        [&] {
          got.second = m.try_lock_shared();
          if (got.second) m.unlock_shared();
        });
    return got;
  });
  EXPECT_EQ(outcomes.count({false, true}), 1U);
  EXPECT_EQ(outcomes.count({true, true}), 1U);
  EXPECT_EQ(outcomes.count({true, false}), 1U);
}

TEST(ScopedLock, OfTwoMutexesInAnyOrderDoesNotDeadlock) {
  explored(
      [] {
        mutex a;
        mutex b;
        in_parallel([&] { const std::scoped_lock lock(a, b); }, [&] { const std::scoped_lock lock(b, a); });
      },
      within(2));
}

TEST(ATimedMutex, GivesUpWhenNobodyElseCanGoOn) {
  explored([] {
    timed_mutex m;
    m.lock();
    thread([&] { check(!m.try_lock_for(1s), "the owner cannot have let go of it"); }).join();
    m.unlock();
  });
}

TEST(ATimedMutex, GivesUpForOnePreemptionAndTheSwitchWhileOthersCanGoOn) {
  const auto outcomes = outcomes_by_bound([] {
    timed_mutex m;
    bool locked = true;
    m.lock();
    thread t([&] {
      locked = m.try_lock_for(1s);
      if (locked) m.unlock();
    });
    m.unlock();
    t.join();
    return locked;
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(false, 2U), Pair(true, 0U)));
}

TEST(ARecursiveTimedMutex, IsTakenAgainByItsOwner) {
  explored([] {
    recursive_timed_mutex m;
    m.lock();
    check(m.try_lock_for(1ms));
    check(m.try_lock_until(steady_clock::now() + 1ms));
    m.unlock();
    m.unlock();
    m.unlock();
  });
}

TEST(ASharedTimedMutex, WaitsForReadersAsLongAsItIsTold) {
  explored([] {
    shared_timed_mutex m;
    m.lock_shared();
    thread([&] {
      check(!m.try_lock_for(1s));
      check(m.try_lock_shared_for(1s));
      m.unlock_shared();
    }).join();
    m.unlock_shared();
  });
}

}  // namespace

}  // namespace hocket::test
