// Robust mutexes: the next thread that locks one whose owner has ended is told.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <optional>
#include <set>
#include <thread>

#include <pthread.h>

#include "tests/unmodified/support/collected.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

class Robust {
 public:
  explicit Robust(int type = PTHREAD_MUTEX_NORMAL) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  ~Robust() { pthread_mutex_destroy(&mutex_); }
  Robust(const Robust&) = delete;
  Robust& operator=(const Robust&) = delete;

  int lock() { return pthread_mutex_lock(&mutex_); }
  int try_lock() { return pthread_mutex_trylock(&mutex_); }
  int lock_by(timespec until) { return pthread_mutex_timedlock(&mutex_, &until); }
  int unlock() { return pthread_mutex_unlock(&mutex_); }
  int mend() { return pthread_mutex_consistent(&mutex_); }
  pthread_mutex_t* get() { return &mutex_; }

 private:
  pthread_mutex_t mutex_{};
};

/// A thread locks it so many times, and ends.
void leave_locked(Robust& mutex, unsigned times = 1) {
  std::thread([&] {
    for (unsigned n = 0; n < times; ++n) check(mutex.lock() == 0);
  }).join();
}

TEST(ARobustMutex, ThatIsMadeAnewIsInOrder) {
  explored([] {
    std::optional<Robust> mutex;
    mutex.emplace();
    leave_locked(*mutex);
    check(mutex->lock() == EOWNERDEAD && mutex->unlock() == 0 && mutex->lock() == ENOTRECOVERABLE);
    mutex.emplace();
    check(mutex->lock() == 0 && mutex->unlock() == 0);
  });
}

TEST(ARobustMutex, TellsTheNextOwnerThatTheLastOneHasEnded) {
  explored([] {
    Robust mutex;
    leave_locked(mutex);
    check(mutex.lock() == EOWNERDEAD && mutex.mend() == 0 && mutex.unlock() == 0);
    check(mutex.lock() == 0 && mutex.mend() == EINVAL && mutex.unlock() == 0);
    leave_locked(mutex);
    check(mutex.try_lock() == EOWNERDEAD && mutex.mend() == 0 && mutex.unlock() == 0);
    leave_locked(mutex);
    check(mutex.lock_by({}) == EOWNERDEAD && mutex.mend() == 0 && mutex.unlock() == 0);
    check(mutex.mend() == EINVAL);
  });
}

TEST(ARobustMutex, IsOfNoUseIfItsNextOwnerDoesNotMendIt) {
  explored([] {
    Robust mutex;
    leave_locked(mutex);
    check(mutex.lock() == EOWNERDEAD && mutex.unlock() == 0);
    check(mutex.lock() == ENOTRECOVERABLE && mutex.try_lock() == ENOTRECOVERABLE);
    check(mutex.lock_by({}) == ENOTRECOVERABLE);
  });
}

TEST(ARobustMutex, ThatIsRecursiveIsGivenBackAltogether) {
  explored([] {
    Robust mutex(PTHREAD_MUTEX_RECURSIVE);
    leave_locked(mutex, 2);
    check(mutex.lock() == EOWNERDEAD && mutex.lock() == 0 && mutex.mend() == 0);
    check(mutex.unlock() == 0 && mutex.unlock() == 0);
  });
}

TEST(ARobustMutex, IsGivenBackByItsOwnersEndToThoseThatWait) {
  Collected outcomes;
  explored([&] {
    Robust mutex;
    std::array<int, 2> found{};
    in_parallel([&] { check(mutex.lock() == 0); },
        [&] {
          found[0] = mutex.lock();
          if (found[0] == EOWNERDEAD) check(mutex.mend() == 0);
          check(mutex.unlock() == 0);
        });
    found[1] = mutex.lock();
    if (found[1] == EOWNERDEAD) mutex.mend();
    mutex.unlock();
    outcomes.add(found[0] == EOWNERDEAD ? 1 : found[1] == EOWNERDEAD ? 2 : 3);
  });
  EXPECT_EQ(outcomes.all(), (std::set<std::uint64_t>{1, 2}));
}

TEST(ARobustMutex, TellsOneThatWaitsForACondition) {
  explored([] {
    Robust mutex;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    bool is_ready = false;
    check(mutex.lock() == 0);
    std::thread dying([&] {
      check(mutex.lock() == 0);
      is_ready = true;
      pthread_cond_signal(&condition);
    });
    check(pthread_cond_wait(&condition, mutex.get()) == EOWNERDEAD && is_ready);
    check(mutex.mend() == 0 && mutex.unlock() == 0);
    dying.join();
  });
}

TEST(AMutexThatIsNotRobust, IsLeftLockedByTheEndOfItsOwner) {
  const FoundFailure failure = failure_of([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    std::thread([&] { pthread_mutex_lock(&mutex); }).join();
  });
  EXPECT_EQ(failure.kind, FailureKind::leak) << failure.message;
}

}  // namespace

}  // namespace unmodified
