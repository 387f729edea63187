// Mutexes of every kind and semaphores: what they exclude, and when they give up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <set>
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
  const auto outcomes = outcomes_by_bound([] {
    return try_beside_a_holder<mutex, thread>(
        [](mutex& m) { return std::unique_lock(m, std::try_to_lock).owns_lock(); });
  });
  EXPECT_THAT(outcomes, ElementsAre(Pair(0U, 1U), Pair(1U, 0U)));
}

TEST(ARecursiveMutex, IsHeldUntilTheLastUnlock) {
  explored(hold_a_recursive_mutex_until_the_last_unlock<recursive_mutex, thread>);
}

TEST(ASharedMutex, LetsReadersInTogetherAndWritersAlone) {
  std::set<unsigned> most_readers;
  explored(
      [&] { most_readers.insert(most_readers_beside_a_writer<shared_mutex, atomic<unsigned>, thread>()); });
  EXPECT_THAT(most_readers, ElementsAre(1U, 2U));
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
  explored(within(2), [] {
    mutex a;
    mutex b;
    in_parallel([&] { const std::scoped_lock lock(a, b); }, [&] { const std::scoped_lock lock(b, a); });
  });
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

TEST(ASemaphore, LetsInAsManyAsItCounts) {
  int most = 0;
  explored([&] {
    counting_semaphore<5> seats{2};
    atomic<int> x{0};
    int inside = 0;
    in_parallel_each(3, [&](unsigned) {
      seats.acquire();
      most = std::max(most, ++inside);
      check(inside <= 2);
      x.load();
      --inside;
      seats.release();
    });
    check(seats.try_acquire());
    check(seats.try_acquire_for(1s));
    check(!seats.try_acquire());
    check(!seats.try_acquire_for(1s));
    seats.release(5);
  });
  EXPECT_EQ(most, 2);
}

}  // namespace

}  // namespace hocket::test
