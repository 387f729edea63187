// What locks have in common, be they of the standard library, of POSIX or of stdio: what they exclude, when
// they give up, and what is misuse.
#include <chrono>
#include <ctime>
#include <functional>
#include <mutex>
#include <ostream>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include <pthread.h>

#include "tests/support/bodies_of_any_types.hpp"
#include "tests/support/row_name.hpp"
#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/pthread/pthread_locks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using hocket::test::hold_a_mutex_alone;
using hocket::test::hold_a_recursive_mutex_until_the_last_unlock;
using hocket::test::most_readers_beside_a_writer;
using hocket::test::RowName;
using hocket::test::try_beside_a_holder;

/// A kind of locks, and bodies that use it.
struct LockKind {
  const char* name;
  void (*hold_alone)();
  unsigned (*try_beside_another)();
};

void PrintTo(const LockKind& kind, std::ostream* out) {
  *out << kind.name;
}

template <class Lock>
LockKind kind_of(const char* name) {
  return {name, hold_a_mutex_alone<Lock, std::thread>, [] {
            return try_beside_a_holder<Lock, std::thread>(
                [](Lock& lock) { return std::unique_lock(lock, std::try_to_lock).owns_lock(); });
          }};
}

class AnyLock : public testing::TestWithParam<LockKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, AnyLock,
    testing::Values(kind_of<std::mutex>("StdMutex"), kind_of<std::recursive_mutex>("StdRecursiveMutex"),
        kind_of<std::shared_mutex>("StdSharedMutex"), kind_of<PthreadMutex>("PthreadMutex"),
        kind_of<StaticPthreadMutex>("StaticPthreadMutex"), kind_of<PthreadSpinLock>("PthreadSpinLock"),
        kind_of<PthreadRwlock>("PthreadRwlock"), kind_of<StreamLock>("StreamLock")),
    RowName());

TEST_P(AnyLock, ExcludesAndALockThatCannotBeTakenIsNoStep) {
  const hocket::Report report = explored(GetParam().hold_alone);
  EXPECT_EQ(report.classes, 6U);
  EXPECT_EQ(report.executions, 6U);
}

TEST_P(AnyLock, IsTriedForInAStepThatMayFail) {
  EXPECT_EQ(outcomes_by_bound(GetParam().try_beside_another), (Outcomes{{0, 1}, {1, 0}}));
}

/// A way to wait for a lock so long. What it gets it gives back.
struct TimedLock {
  const char* name;
  std::function<unsigned()> try_beside_another;
};

void PrintTo(const TimedLock& way, std::ostream* out) {
  *out << way.name;
}

template <class Lock, class Try>
TimedLock way_of(const char* name, Try try_lock) {
  return {name, [try_lock] { return try_beside_a_holder<Lock, std::thread>(try_lock); }};
}

template <class Lock>
TimedLock std_way_of(const char* name) {
  return way_of<Lock>(name, [](Lock& lock) { return std::unique_lock(lock, 10ms).owns_lock(); });
}

/// `lock(handle, time)` is a function of POSIX for a time of the clock.
template <class Lock, class Function>
TimedLock posix_way_of(const char* name, clockid_t clock, Function lock) {
  return way_of<Lock>(name, [clock, lock](Lock& what) {
    const timespec time = from_now(clock, 1);
    if (!is_got(lock(what.get(), &time), ETIMEDOUT)) return false;
    what.unlock();
    return true;
  });
}

template <class Lock>
TimedLock clocked_way_of(
    const char* name, int (*lock)(pthread_rwlock_t*, clockid_t, const timespec*) noexcept) {
  return posix_way_of<Lock>(name, CLOCK_MONOTONIC,
      [lock](pthread_rwlock_t* what, const timespec* time) { return lock(what, CLOCK_MONOTONIC, time); });
}

class AnyTimedLock : public testing::TestWithParam<TimedLock> {};

using std::chrono::system_clock;
INSTANTIATE_TEST_SUITE_P(Ways, AnyTimedLock,
    testing::Values(  //
        std_way_of<std::timed_mutex>("OfStdTimedMutex"),
        way_of<std::timed_mutex>("OfStdTimedMutexUntilSystemTime",
            [](auto& m) { return std::unique_lock(m, system_clock::now() + 10ms).owns_lock(); }),
        std_way_of<std::recursive_timed_mutex>("OfStdRecursiveTimedMutex"),
        std_way_of<std::shared_timed_mutex>("OfAWriterOfStdSharedTimedMutex"),
        way_of<std::shared_timed_mutex>("OfAWriterOfStdSharedTimedMutexUntilSystemTime",
            [](auto& m) { return std::unique_lock(m, system_clock::now() + 1s).owns_lock(); }),
        way_of<std::shared_timed_mutex>(
            "OfAReaderOfStdSharedTimedMutex", [](auto& m) { return std::shared_lock(m, 1s).owns_lock(); }),
        way_of<std::shared_timed_mutex>("OfAReaderOfStdSharedTimedMutexUntilSystemTime",
            [](auto& m) { return std::shared_lock(m, system_clock::now() + 1s).owns_lock(); }),
        posix_way_of<PthreadMutex>("OfPthreadMutex", CLOCK_REALTIME, pthread_mutex_timedlock),
        posix_way_of<PthreadMutex>("OfPthreadMutexByAClock", CLOCK_MONOTONIC,
            [](pthread_mutex_t* mutex, const timespec* time) {
              return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, time);
            }),
        posix_way_of<PthreadRwlock>("OfAReaderOfPthreadRwlock", CLOCK_REALTIME, pthread_rwlock_timedrdlock),
        posix_way_of<PthreadRwlock>("OfAWriterOfPthreadRwlock", CLOCK_REALTIME, pthread_rwlock_timedwrlock),
        clocked_way_of<PthreadRwlock>("OfAReaderOfPthreadRwlockByAClock", pthread_rwlock_clockrdlock),
        clocked_way_of<PthreadRwlock>("OfAWriterOfPthreadRwlockByAClock", pthread_rwlock_clockwrlock),
        posix_way_of<WritersFirstRwlock>(
            "OfAReaderOfWritersFirstRwlock", CLOCK_REALTIME, pthread_rwlock_timedrdlock),
        posix_way_of<WritersFirstRwlock>(
            "OfAWriterOfWritersFirstRwlock", CLOCK_REALTIME, pthread_rwlock_timedwrlock),
        clocked_way_of<WritersFirstRwlock>(
            "OfAReaderOfWritersFirstRwlockByAClock", pthread_rwlock_clockrdlock),
        clocked_way_of<WritersFirstRwlock>(
            "OfAWriterOfWritersFirstRwlockByAClock", pthread_rwlock_clockwrlock)),
    RowName());

TEST_P(AnyTimedLock, IsGotOrItsTimeRunsOut) {
  EXPECT_EQ(outcomes_by_bound(GetParam().try_beside_another), (Outcomes{{0, 2}, {1, 0}}));
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

TEST(AStdRecursiveMutex, IsHeldUntilTheLastUnlock) {
  explored(hold_a_recursive_mutex_until_the_last_unlock<std::recursive_mutex, std::thread>);
}

template <class Lock>
void expect_to_be_a_shared_lock() {
  const Outcomes most_readers = outcomes_by_bound(
      most_readers_beside_a_writer<Lock, std::atomic<unsigned>, std::thread>, exhaustively(), 2);
  EXPECT_EQ(most_readers, (Outcomes{{1, 0}, {2, 1}}));
  explored([] {
    Lock lock;
    lock.lock_shared();
    in_parallel([&] {
      check(lock.try_lock_shared());
      lock.unlock_shared();
      check(!lock.try_lock());
    });
    lock.unlock_shared();
    check(lock.try_lock());
    in_parallel([&] { check(!lock.try_lock_shared() && !lock.try_lock()); });
    lock.unlock();
  });
  expect_failure(FailureKind::data_race, 0, "not ordered after", [] {
    Lock lock;
    int data = 0;
    const auto wrong = [&] {
      const std::shared_lock guard(lock);
      ++data;
    };
    in_parallel(wrong, wrong);
  });
}

TEST(ASharedLock, LetsReadersInTogetherWithoutOrderingThemAndWritersAlone) {
  expect_to_be_a_shared_lock<std::shared_mutex>();
  expect_to_be_a_shared_lock<PthreadRwlock>();
  expect_to_be_a_shared_lock<WritersFirstRwlock>();
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

TEST(TwoStdMutexes, InOppositeOrdersAreADeadlockWithOnePreemption) {
  expect_failure(FailureKind::deadlock, 1, "deadlock", [] {
    std::mutex x;
    std::mutex y;
    const auto lock_both = [](std::mutex& first, std::mutex& second) {
      const std::lock_guard one(first);
      const std::lock_guard other(second);
    };
    in_parallel([&] { lock_both(x, y); }, [&] { lock_both(y, x); });
  });
}

TEST(TwoStdMutexes, LockedTogetherAreNoDeadlock) {
  explored(within(3), [] {
    std::mutex x;
    std::mutex y;
    in_parallel([&] { const std::scoped_lock both(x, y); }, [&] { const std::scoped_lock both(y, x); });
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

TEST(AStdMutex, StillHeldWhenItsThreadEndsIsALeak) {
  expect_failure(FailureKind::leak, 0, "holds", [] {
    std::mutex m;
    std::thread([&] { m.lock(); }).join();
  });
}

template <class Lock>
void lock_twice() {
  Lock lock;
  lock.lock();
  lock.lock();
}
template <class Lock>
void unlock_by_a_stranger() {
  Lock lock;
  lock.lock();
  in_parallel([&] { lock.unlock(); });
}

/// A misuse of a lock, and words of what is said of it.
struct MisusedLock {
  const char* name;
  const char* words;
  void (*body)();
};

void PrintTo(const MisusedLock& misuse, std::ostream* out) {
  *out << misuse.name;
}

class AMisusedLock : public testing::TestWithParam<MisusedLock> {};

INSTANTIATE_TEST_SUITE_P(Misuses, AMisusedLock,
    testing::Values(  //
        MisusedLock{"StdMutexLockedTwice", "which it holds already", lock_twice<std::mutex>},
        MisusedLock{"PthreadMutexLockedTwice", "which it holds already", lock_twice<PthreadMutex>},
        MisusedLock{"PthreadSpinLockLockedTwice", "which it holds already", lock_twice<PthreadSpinLock>},
        MisusedLock{"StdSharedMutexTakenAgainByAReader", "which it holds already",
            [] {
              std::shared_mutex m;
              m.lock_shared();
              m.lock_shared();
            }},
        MisusedLock{"StdSharedMutexUpgraded", "which it holds already",
            [] {
              std::shared_mutex m;
              m.lock_shared();
              m.lock();
            }},
        MisusedLock{"StdMutexUnlockedByAStranger", "unlocks", unlock_by_a_stranger<std::mutex>},
        MisusedLock{"StdSharedMutexUnlockedByAStranger", "unlocks", unlock_by_a_stranger<std::shared_mutex>},
        MisusedLock{"PthreadMutexUnlockedByAStranger", "unlocks", unlock_by_a_stranger<PthreadMutex>},
        MisusedLock{"PthreadRwlockUnlockedByAStranger", "unlocks", unlock_by_a_stranger<PthreadRwlock>},
        MisusedLock{
            "WritersFirstRwlockUnlockedByAStranger", "unlocks", unlock_by_a_stranger<WritersFirstRwlock>},
        MisusedLock{
            "StdMutexUnlockedWithoutAHolder", "which it does not hold", [] { std::mutex().unlock(); }},
        MisusedLock{"PthreadMutexDestroyedWhileItIsHeld", "destroys", [] { PthreadMutex().lock(); }}),
    RowName());

TEST_P(AMisusedLock, IsToldOf) {
  expect_failure(FailureKind::misuse, 0, GetParam().words, GetParam().body);
}

}  // namespace

}  // namespace unmodified
