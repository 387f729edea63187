// pthread_rwlock_t, as POSIX says it.
#include <cerrno>

#include <pthread.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

class PthreadRwlock {
 public:
  explicit PthreadRwlock(int kind = PTHREAD_RWLOCK_DEFAULT_NP) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, kind);
    check(pthread_rwlock_init(&lock_, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~PthreadRwlock() { check(pthread_rwlock_destroy(&lock_) == 0); }
  PthreadRwlock(const PthreadRwlock&) = delete;
  PthreadRwlock& operator=(const PthreadRwlock&) = delete;

  pthread_rwlock_t* get() { return &lock_; }

 private:
  pthread_rwlock_t lock_;
};

TEST(APthreadRwlock, ExcludesWritersFromAll) {
  explored([] {
    PthreadRwlock lock;
    int data = 0;
    const auto write = [&] {
      check(pthread_rwlock_wrlock(lock.get()) == 0);
      ++data;
      check(pthread_rwlock_unlock(lock.get()) == 0);
    };
    in_parallel(write, write, [&] {
      check(pthread_rwlock_rdlock(lock.get()) == 0);
      check(data <= 2);
      check(pthread_rwlock_unlock(lock.get()) == 0);
    });
    check(data == 2);
  });
}

TEST(APthreadRwlock, IsTriedForByReadersBesideReadersOnly) {
  explored([] {
    PthreadRwlock lock;
    pthread_rwlock_rdlock(lock.get());
    in_parallel([&] {
      check(pthread_rwlock_tryrdlock(lock.get()) == 0);
      check(pthread_rwlock_unlock(lock.get()) == 0);
      check(pthread_rwlock_trywrlock(lock.get()) == EBUSY);
    });
    pthread_rwlock_unlock(lock.get());
    check(pthread_rwlock_trywrlock(lock.get()) == 0);
    in_parallel([&] { check(pthread_rwlock_tryrdlock(lock.get()) == EBUSY); });
    check(pthread_rwlock_unlock(lock.get()) == 0);
  });
}

TEST(APthreadRwlock, TellsItsWriterThatItHasItAlready) {
  explored([] {
    PthreadRwlock lock;
    pthread_rwlock_wrlock(lock.get());
    check(pthread_rwlock_wrlock(lock.get()) == EDEADLK);
    check(pthread_rwlock_rdlock(lock.get()) == EDEADLK);
    pthread_rwlock_unlock(lock.get());
  });
}

TEST(APthreadRwlock, MayBeTakenForReadingOnceMore) {
  explored([] {
    PthreadRwlock lock;
    int n = 0;
    in_parallel(
        [&] {
          check(pthread_rwlock_rdlock(lock.get()) == 0);
          check(pthread_rwlock_rdlock(lock.get()) == 0);
          check(pthread_rwlock_tryrdlock(lock.get()) == 0);
          check(pthread_rwlock_unlock(lock.get()) == 0);
          check(pthread_rwlock_unlock(lock.get()) == 0);
          check(n == 0 || n == 1, "the writer is kept out until the last");
          check(pthread_rwlock_unlock(lock.get()) == 0);
        },
        [&] {
          check(pthread_rwlock_wrlock(lock.get()) == 0);
          ++n;
          check(pthread_rwlock_unlock(lock.get()) == 0);
        });
  });
}

TEST(APthreadRwlock, ThatPrefersWritersIsNotTakenForReadingAgainWhileOneWaits) {
  expect_failure(FailureKind::deadlock, 1, "waits", [] {
    PthreadRwlock lock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    in_parallel(
        [&] {
          pthread_rwlock_rdlock(lock.get());
          pthread_rwlock_rdlock(lock.get());
          pthread_rwlock_unlock(lock.get());
          pthread_rwlock_unlock(lock.get());
        },
        [&] {
          pthread_rwlock_wrlock(lock.get());
          pthread_rwlock_unlock(lock.get());
        });
  });
}

TEST(APthreadRwlock, UnlockedByAStrangerIsMisuse) {
  for (const int kind : {PTHREAD_RWLOCK_DEFAULT_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP}) {
    expect_failure(FailureKind::misuse, 0, "unlocks", [kind] {
      PthreadRwlock lock(kind);
      pthread_rwlock_wrlock(lock.get());
      in_parallel([&] { pthread_rwlock_unlock(lock.get()); });
    });
  }
}

/// Both kinds of locks differ in how they are modelled.
class ATimedLockOfAPthreadRwlock : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(EachKind, ATimedLockOfAPthreadRwlock,
    testing::Values(PTHREAD_RWLOCK_DEFAULT_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));

TEST_P(ATimedLockOfAPthreadRwlock, SucceedsOrItsTimeRunsOut) {
  const auto beside_a_writer = [kind = GetParam()](const auto& take) {
    return outcomes_by_bound([&take, kind] {
      PthreadRwlock lock(kind);
      unsigned got = 0;
      in_parallel(
          [&] {
            pthread_rwlock_wrlock(lock.get());
            pthread_rwlock_unlock(lock.get());
          },
          [&] {
            const int error = take(lock.get());
            check(error == 0 || error == ETIMEDOUT);
            if (error != 0) return;
            got = 1;
            pthread_rwlock_unlock(lock.get());
          });
      return got;
    });
  };
  const Outcomes either{{0, 2}, {1, 0}};
  EXPECT_EQ(beside_a_writer([](pthread_rwlock_t* lock) {
    const timespec time = from_now(CLOCK_REALTIME, 1);
    return pthread_rwlock_timedrdlock(lock, &time);
  }),
      either);
  EXPECT_EQ(beside_a_writer([](pthread_rwlock_t* lock) {
    const timespec time = from_now(CLOCK_REALTIME, 1);
    return pthread_rwlock_timedwrlock(lock, &time);
  }),
      either);
  EXPECT_EQ(beside_a_writer([](pthread_rwlock_t* lock) {
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    return pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &time);
  }),
      either);
  EXPECT_EQ(beside_a_writer([](pthread_rwlock_t* lock) {
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    return pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &time);
  }),
      either);
}

TEST_P(ATimedLockOfAPthreadRwlock, UntilWhatIsNoTimeIsRefused) {
  explored([kind = GetParam()] {
    PthreadRwlock lock(kind);
    check(pthread_rwlock_timedrdlock(lock.get(), &kNoTime) == EINVAL);
    check(pthread_rwlock_timedwrlock(lock.get(), &kNoTime) == EINVAL);
  });
}

}  // namespace

}  // namespace unmodified
