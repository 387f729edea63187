// pthread_mutex_t of every type and pthread_spinlock_t, as POSIX says it.
#include <cerrno>
#include <cstdio>

#include <pthread.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

class PthreadMutex {
 public:
  explicit PthreadMutex(int type = PTHREAD_MUTEX_NORMAL) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    check(pthread_mutex_init(&mutex_, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
  }
  ~PthreadMutex() { check(pthread_mutex_destroy(&mutex_) == 0); }
  PthreadMutex(const PthreadMutex&) = delete;
  PthreadMutex& operator=(const PthreadMutex&) = delete;

  pthread_mutex_t* get() { return &mutex_; }

 private:
  pthread_mutex_t mutex_;
};

TEST(APthreadMutex, Excludes) {
  const hocket::Report report = explored([] {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int inside = 0;
    const auto section = [&] {
      check(pthread_mutex_lock(&mutex) == 0);
      check(++inside == 1);
      --inside;
      check(pthread_mutex_unlock(&mutex) == 0);
    };
    in_parallel(section, section);
  });
  EXPECT_EQ(report.classes, 2U);
}

TEST(APthreadMutex, LockedTwiceIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "which it holds already", [] {
    PthreadMutex mutex;
    pthread_mutex_lock(mutex.get());
    pthread_mutex_lock(mutex.get());
  });
}

TEST(APthreadMutex, UnlockedByAStrangerIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "unlocks", [] {
    PthreadMutex mutex;
    pthread_mutex_lock(mutex.get());
    in_parallel([&] { pthread_mutex_unlock(mutex.get()); });
  });
}

TEST(APthreadMutex, DestroyedWhileItIsHeldIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "destroys", [] {
    PthreadMutex mutex;
    pthread_mutex_lock(mutex.get());
  });
}

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
    check(pthread_mutex_lock(mutex.get()) == 0);
    check(pthread_mutex_lock(mutex.get()) == EDEADLK);
    check(pthread_mutex_trylock(mutex.get()) == EBUSY);
    in_parallel([&] { check(pthread_mutex_unlock(mutex.get()) == EPERM); });
    check(pthread_mutex_unlock(mutex.get()) == 0);
  });
}

TEST(ARecursivePthreadMutex, IsHeldUntilTheLastUnlock) {
  explored([] {
    PthreadMutex mutex(PTHREAD_MUTEX_RECURSIVE);
    check(pthread_mutex_lock(mutex.get()) == 0);
    check(pthread_mutex_lock(mutex.get()) == 0);
    check(pthread_mutex_trylock(mutex.get()) == 0);
    for (int n = 0; n < 3; ++n) {
      in_parallel([&] {
        check(pthread_mutex_trylock(mutex.get()) == EBUSY);
        check(pthread_mutex_unlock(mutex.get()) == EPERM);
      });
      check(pthread_mutex_unlock(mutex.get()) == 0);
    }
    check(pthread_mutex_unlock(mutex.get()) == EPERM);
  });
}

TEST(ATimedLockOfAPthreadMutex, SucceedsOrItsTimeRunsOut) {
  const auto beside_a_holder = [](const auto& lock) {
    return outcomes_by_bound([&lock] {
      PthreadMutex mutex;
      unsigned got = 0;
      in_parallel(
          [&] {
            pthread_mutex_lock(mutex.get());
            pthread_mutex_unlock(mutex.get());
          },
          [&] {
            const int error = lock(mutex.get());
            check(error == 0 || error == ETIMEDOUT);
            if (error != 0) return;
            got = 1;
            pthread_mutex_unlock(mutex.get());
          });
      return got;
    });
  };
  const Outcomes either{{0, 2}, {1, 0}};
  EXPECT_EQ(beside_a_holder([](pthread_mutex_t* mutex) {
    const timespec time = from_now(CLOCK_REALTIME, 1);
    return pthread_mutex_timedlock(mutex, &time);
  }),
      either);
  EXPECT_EQ(beside_a_holder([](pthread_mutex_t* mutex) {
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &time);
  }),
      either);
}

TEST(ATimedLockOfAPthreadMutex, UntilWhatIsNoTimeIsRefused) {
  explored([] {
    PthreadMutex mutex;
    check(pthread_mutex_timedlock(mutex.get(), &kNoTime) == EINVAL);
    check(pthread_mutex_clocklock(mutex.get(), CLOCK_MONOTONIC, &kNoTime) == EINVAL);
  });
}

TEST(APthreadSpinLock, ExcludesWithoutSpinning) {
  const hocket::Report report = explored([] {
    pthread_spinlock_t lock;
    check(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    int inside = 0;
    const auto section = [&] {
      check(pthread_spin_lock(&lock) == 0);
      check(++inside == 1);
      --inside;
      check(pthread_spin_unlock(&lock) == 0);
    };
    in_parallel(section, section);
    check(pthread_spin_trylock(&lock) == 0);
    check(pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_unlock(&lock);
    check(pthread_spin_destroy(&lock) == 0);
  });
  EXPECT_EQ(report.classes, 2U);
}

TEST(APthreadSpinLock, LockedTwiceIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "which it holds already", [] {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock);
  });
}

TEST(TheLockOfAStream, ExcludesAndIsRecursive) {
  const hocket::Report report = explored([] {
    std::FILE* const stream = std::fopen("/dev/null", "w");
    int inside = 0;
    const auto section = [&] {
      flockfile(stream);
      check(ftrylockfile(stream) == 0);
      check(++inside == 1);
      --inside;
      funlockfile(stream);
      std::fprintf(stream, "a line");
      funlockfile(stream);
    };
    in_parallel(section, section);
    std::fclose(stream);
  });
  EXPECT_EQ(report.classes, 2U);
}

TEST(TheLockOfAStream, IsPartOfDeadlocks) {
  expect_failure(FailureKind::deadlock, 1, "deadlock", [] {
    PthreadMutex mutex;
    in_parallel(
        [&] {
          flockfile(stderr);
          pthread_mutex_lock(mutex.get());
          pthread_mutex_unlock(mutex.get());
          funlockfile(stderr);
        },
        [&] {
          pthread_mutex_lock(mutex.get());
          flockfile(stderr);
          funlockfile(stderr);
          pthread_mutex_unlock(mutex.get());
        });
  });
}

}  // namespace

}  // namespace unmodified
