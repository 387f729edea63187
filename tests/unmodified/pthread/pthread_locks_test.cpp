// What only pthread_mutex_t, pthread_rwlock_t and the locks of streams have, as POSIX says it. What they have
// in common with those of the standard library is in locks_test.cpp.
#include <cerrno>
#include <cstdio>
#include <ctime>

#include <pthread.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/pthread/pthread_locks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(APthreadMutex, MayBeMadeAgainWhereOneWas) {
  explored([] {
    pthread_mutex_t mutex;
    for (int n = 0; n < 2; ++n) {
      pthread_mutex_init(&mutex, nullptr);
      const auto section = [&] {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
      };
      in_parallel(section, section);
      check(pthread_mutex_destroy(&mutex) == 0);
    }
  });
}

TEST(AnErrorcheckPthreadMutex, TellsOfMisuseByItsResult) {
  explored([] {
    PthreadMutex mutex(PTHREAD_MUTEX_ERRORCHECK);
    check(pthread_mutex_unlock(mutex.get()) == EPERM);
    mutex.lock();
    check(pthread_mutex_lock(mutex.get()) == EDEADLK);
    check(!mutex.try_lock());
    in_parallel([&] { check(pthread_mutex_unlock(mutex.get()) == EPERM); });
    mutex.unlock();
  });
}

TEST(ARecursivePthreadMutex, IsHeldUntilTheLastUnlock) {
  explored([] {
    PthreadMutex mutex(PTHREAD_MUTEX_RECURSIVE);
    mutex.lock();
    mutex.lock();
    check(mutex.try_lock());
    for (int n = 0; n < 3; ++n) {
      in_parallel([&] {
        check(!mutex.try_lock());
        check(pthread_mutex_unlock(mutex.get()) == EPERM);
      });
      mutex.unlock();
    }
    check(pthread_mutex_unlock(mutex.get()) == EPERM);
  });
}

template <class Rwlock>
void refuse_to_wait_until_what_is_no_time() {
  Rwlock lock;
  check(pthread_rwlock_timedrdlock(lock.get(), &kNoTime) == EINVAL);
  check(pthread_rwlock_timedwrlock(lock.get(), &kNoTime) == EINVAL);
}

TEST(ATimedLockOfPosix, UntilWhatIsNoTimeIsRefused) {
  explored([] {
    PthreadMutex mutex;
    check(pthread_mutex_timedlock(mutex.get(), &kNoTime) == EINVAL);
    check(pthread_mutex_clocklock(mutex.get(), CLOCK_MONOTONIC, &kNoTime) == EINVAL);
    refuse_to_wait_until_what_is_no_time<PthreadRwlock>();
    refuse_to_wait_until_what_is_no_time<WritersFirstRwlock>();
  });
}

TEST(APthreadRwlock, TellsItsWriterThatItHasItAlready) {
  explored([] {
    PthreadRwlock lock;
    lock.lock();
    check(pthread_rwlock_wrlock(lock.get()) == EDEADLK);
    check(pthread_rwlock_rdlock(lock.get()) == EDEADLK);
    lock.unlock();
  });
}

TEST(APthreadRwlock, MayBeTakenForReadingOnceMore) {
  explored([] {
    PthreadRwlock lock;
    int n = 0;
    in_parallel(
        [&] {
          lock.lock_shared();
          lock.lock_shared();
          check(lock.try_lock_shared());
          lock.unlock_shared();
          lock.unlock_shared();
          check(n == 0 || n == 1, "the writer is kept out until the last");
          lock.unlock_shared();
        },
        [&] {
          lock.lock();
          ++n;
          lock.unlock();
        });
  });
}

TEST(APthreadRwlock, ThatPrefersWritersIsNotTakenForReadingAgainWhileOneWaits) {
  expect_failure(FailureKind::deadlock, 1, "waits", [] {
    WritersFirstRwlock lock;
    in_parallel(
        [&] {
          lock.lock_shared();
          lock.lock_shared();
          lock.unlock_shared();
          lock.unlock_shared();
        },
        [&] {
          lock.lock();
          lock.unlock();
        });
  });
}

TEST(TheLockOfAStream, IsRecursive) {
  explored([] {
    StreamLock lock;
    int inside = 0;
    const auto section = [&] {
      lock.lock();
      check(lock.try_lock());
      check(++inside == 1);
      --inside;
      lock.unlock();
      lock.unlock();
    };
    in_parallel(section, section);
  });
}

TEST(TheLockOfAStream, IsPartOfDeadlocks) {
  expect_failure(FailureKind::deadlock, 1, "deadlock", [] {
    PthreadMutex mutex;
    in_parallel(
        [&] {
          flockfile(stderr);
          mutex.lock();
          mutex.unlock();
          funlockfile(stderr);
        },
        [&] {
          mutex.lock();
          flockfile(stderr);
          funlockfile(stderr);
          mutex.unlock();
        });
  });
}

}  // namespace

}  // namespace unmodified
