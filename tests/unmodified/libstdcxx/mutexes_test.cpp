// std::mutex, its recursive and timed kinds, and the locks over them.
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/support/bodies_of_any_types.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using hocket::FailureKind;
using hocket::test::hold_a_mutex_alone;
using hocket::test::hold_a_recursive_mutex_until_the_last_unlock;
using hocket::test::try_beside_a_holder;

TEST(AStdMutex, ExcludesAndALockThatCannotBeTakenIsNoStep) {
  EXPECT_EQ(explored(hold_a_mutex_alone<std::mutex, std::thread>).executions, 6U);
}

TEST(AStdMutex, OrdersWhatItGuards) {
  explored([] {
    std::mutex m;
    int data = 0;
    const auto write = [&] {
      const std::lock_guard guard(m);
      ++data;
    };
    in_parallel(write, write);
    check(data == 2);
  });
}

TEST(AStdMutex, ThatIsForgottenAtOneAccessLeavesADataRace) {
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    std::mutex m;
    int data = 0;
    in_parallel(
        [&] {
          const std::lock_guard guard(m);
          ++data;
        },
        [&] { ++data; });
  });
}

TEST(AStdMutex, IsTriedForInAStepThatMayFail) {
  const Outcomes outcomes = outcomes_by_bound(
      [] { return try_beside_a_holder<std::mutex, std::thread>([](auto& m) { return m.try_lock(); }); });
  EXPECT_EQ(outcomes, (Outcomes{{0, 1}, {1, 0}}));
}

TEST(TwoStdMutexes, InOppositeOrdersAreADeadlockWithOnePreemption) {
  expect_failure(FailureKind::deadlock, 1, "deadlock", [] {
    std::mutex x;
    std::mutex y;
    in_parallel(
        [&] {
          const std::lock_guard one(x);
          const std::lock_guard other(y);
        },
        [&] {
          const std::lock_guard one(y);
          const std::lock_guard other(x);
        });
  });
}

TEST(TwoStdMutexes, LockedTogetherAreNoDeadlock) {
  explored(within(3), [] {
    std::mutex x;
    std::mutex y;
    in_parallel([&] { const std::scoped_lock both(x, y); }, [&] { const std::scoped_lock both(y, x); });
  });
}

TEST(AStdMutex, LockedTwiceByItsHolderIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "which it holds already", [] {
    std::mutex m;
    m.lock();
    m.lock();
  });
}

TEST(AStdMutex, UnlockedByAStrangerIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "unlocks", [] {
    std::mutex m;
    m.lock();
    std::thread([&] { m.unlock(); }).join();
  });
}

TEST(AStdMutex, UnlockedByNobodysHolderIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "which it does not hold", [] {
    std::mutex m;
    m.unlock();
  });
}

TEST(AStdMutex, StillHeldWhenItsThreadEndsIsALeak) {
  expect_failure(FailureKind::leak, 0, "holds", [] {
    std::mutex m;
    std::thread([&] { m.lock(); }).join();
  });
}

TEST(AStdMutex, OfTheProgramIsFreeAgainInTheNextExecution) {
  static std::mutex global;
  static int guarded = 0;
  explored([] {
    const auto section = [] {
      const std::lock_guard guard(global);
      ++guarded;
    };
    in_parallel(section, section);
    check(guarded == 2, "the last execution left something behind");
  });
}

TEST(AStdMutex, IsReleasedByAnException) {
  explored([] {
    std::mutex m;
    const auto fails = [&] {
      try {
        const std::lock_guard guard(m);
        throw std::runtime_error("no");
      } catch (const std::runtime_error&) {
      }
    };
    in_parallel(fails, fails);
  });
}

TEST(AStdRecursiveMutex, IsHeldUntilTheLastUnlock) {
  explored(hold_a_recursive_mutex_until_the_last_unlock<std::recursive_mutex, std::thread>);
}

TEST(AStdTimedMutex, IsGotOrItsTimeRunsOut) {
  const Outcomes either{{0, 2}, {1, 0}};
  EXPECT_EQ(outcomes_by_bound([] {
    return try_beside_a_holder<std::timed_mutex, std::thread>([](auto& m) { return m.try_lock_for(10ms); });
  }),
      either);
  EXPECT_EQ(outcomes_by_bound([] {
    return try_beside_a_holder<std::timed_mutex, std::thread>(
        [](auto& m) { return m.try_lock_until(std::chrono::system_clock::now() + 10ms); });
  }),
      either);
  EXPECT_EQ(outcomes_by_bound([] {
    return try_beside_a_holder<std::recursive_timed_mutex, std::thread>(
        [](auto& m) { return m.try_lock_for(10ms); });
  }),
      either);
}

TEST(AStdTimedMutex, ThatNobodyGivesBackInTimeIsGivenUp) {
  explored([] {
    std::timed_mutex m;
    const std::lock_guard guard(m);
    std::thread([&] {
      const auto begin = std::chrono::steady_clock::now();
      check(!m.try_lock_for(10ms));
      check(std::chrono::steady_clock::now() - begin >= 10ms, "it gave up too early");
    }).join();
  });
}

}  // namespace

}  // namespace unmodified
