// Mutexes, condition variables, semaphores and barriers of pthreads and C11 that are used after their
// destruction, and what comes close to it.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

/// All that claim to be complete.
constexpr const char* kStrategies[] = {"icb", "dfs", "idfs", "best-first", "dpor", "dfs-sleep", "hb-cache",
    "icb-por", "cb-por", "cb-por-basic", "delay"};

struct PosixMutex {
  pthread_mutex_t object;
  void begin() { check(pthread_mutex_init(&object, nullptr) == 0); }
  void begin_without_a_call() { object = PTHREAD_MUTEX_INITIALIZER; }
  void end() { check(pthread_mutex_destroy(&object) == 0); }
  void use() {
    check(pthread_mutex_lock(&object) == 0);
    check(pthread_mutex_unlock(&object) == 0);
  }
};
struct PosixSharedMutex {
  pthread_rwlock_t object;
  void begin() { check(pthread_rwlock_init(&object, nullptr) == 0); }
  void begin_without_a_call() { object = PTHREAD_RWLOCK_INITIALIZER; }
  void end() { check(pthread_rwlock_destroy(&object) == 0); }
  void use() {
    check(pthread_rwlock_rdlock(&object) == 0);
    check(pthread_rwlock_unlock(&object) == 0);
  }
};
struct PosixSpinLock {
  pthread_spinlock_t object;
  void begin() { check(pthread_spin_init(&object, PTHREAD_PROCESS_PRIVATE) == 0); }
  void end() { check(pthread_spin_destroy(&object) == 0); }
  void use() {
    check(pthread_spin_lock(&object) == 0);
    check(pthread_spin_unlock(&object) == 0);
  }
};
struct PosixCondition {
  pthread_cond_t object;
  void begin() { check(pthread_cond_init(&object, nullptr) == 0); }
  void begin_without_a_call() { object = PTHREAD_COND_INITIALIZER; }
  void end() { check(pthread_cond_destroy(&object) == 0); }
  void use() { check(pthread_cond_broadcast(&object) == 0); }
};
struct PosixSemaphore {
  sem_t object;
  void begin() { check(sem_init(&object, 0, 1) == 0); }
  void end() { check(sem_destroy(&object) == 0); }
  void use() {
    check(sem_wait(&object) == 0);
    check(sem_post(&object) == 0);
  }
};
/// Of one thread, so that to wait is to go on.
struct PosixBarrier {
  pthread_barrier_t object;
  void begin() { check(pthread_barrier_init(&object, nullptr, 1) == 0); }
  void end() { check(pthread_barrier_destroy(&object) == 0); }
  // NOLINTNEXTLINE(bugprone-posix-return): that constant is negative
  void use() { check(pthread_barrier_wait(&object) == PTHREAD_BARRIER_SERIAL_THREAD); }
};
struct C11Mutex {
  mtx_t object;
  void begin() { check(mtx_init(&object, mtx_plain) == thrd_success); }
  void end() { mtx_destroy(&object); }
  void use() {
    check(mtx_lock(&object) == thrd_success);
    check(mtx_unlock(&object) == thrd_success);
  }
};
struct C11Condition {
  cnd_t object;
  void begin() { check(cnd_init(&object) == thrd_success); }
  void end() { cnd_destroy(&object); }
  void use() { check(cnd_signal(&object) == thrd_success); }
};

template <class Object>
class DestroyedObjects : public testing::Test {
 protected:
  static void fails(const std::string& words, const std::function<void()>& body) {
    for (const char* const strategy : kStrategies) {
      SCOPED_TRACE(strategy);
      const std::string message = message_of(FailureKind::use_after_destruction, body, with(strategy));
      EXPECT_NE(message.find(words), std::string::npos) << message;
    }
  }
};

/// Passes under all, which agree in the number of classes.
void passes(const std::function<void()>& body) {
  std::uint64_t classes = 0;
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    const Report report = explored(body, with(strategy));
    if (classes == 0) classes = report.classes;
    EXPECT_EQ(report.classes, classes);
  }
  EXPECT_NE(classes, 0U);
}

using AllKinds = testing::Types<PosixMutex, PosixSharedMutex, PosixSpinLock, PosixCondition, PosixSemaphore,
    PosixBarrier, C11Mutex, C11Condition>;
TYPED_TEST_SUITE(DestroyedObjects, AllKinds);

TYPED_TEST(DestroyedObjects, FailWhenTheyAreUsedForTheFirstTime) {
  static TypeParam object;
  this->fails("which has been destroyed, by thread 1 at destroyed_objects_test.cpp:", [&] {
    object.begin();
    in_parallel([&] { object.end(); });
    object.use();
  });
}

TYPED_TEST(DestroyedObjects, FailWhenTheyAreUsedAgain) {
  static TypeParam object;
  this->fails("which has been destroyed, by thread 2 at destroyed_objects_test.cpp:", [&] {
    object.begin();
    in_parallel([&] { object.use(); });
    object.use();
    in_parallel([&] { object.end(); });
    in_parallel([&] { object.use(); });
  });
}

TYPED_TEST(DestroyedObjects, FailWhenTheyAreDestroyedAgain) {
  static TypeParam object;
  this->fails("main performs destroy on ", [&] {
    object.begin();
    in_parallel([&] { object.end(); });
    object.end();
  });
}

TYPED_TEST(DestroyedObjects, FailWhileAnotherThreadIsAboutToUseThem) {
  static TypeParam object;
  this->fails("main destroys ", [&] {
    object.begin();
    std::thread user([&] { object.use(); });
    object.end();
    user.join();
  });
}

TYPED_TEST(DestroyedObjects, BeginAnewByACall) {
  static TypeParam object;
  passes([&] {
    for (int n = 0; n < 2; ++n) {
      object.begin();
      in_parallel([&] { object.use(); }, [&] { object.use(); });
      object.end();
    }
    object.begin();
    object.use();
  });
}

TYPED_TEST(DestroyedObjects, BeginAnewOnTheStack) {
  passes([] {
    const auto once = [] {
      TypeParam object;
      object.begin();
      in_parallel([&] { object.use(); }, [&] { object.use(); });
      object.end();
    };
    once();
    once();
  });
}

// Nobody has to say that it ends.
TYPED_TEST(DestroyedObjects, BeginAnewWithoutAnEnd) {
  static TypeParam object;
  passes([&] {
    object.begin();
    in_parallel([&] { object.use(); }, [&] { object.use(); });
    object.begin();
    in_parallel([&] { object.use(); }, [&] { object.use(); });
  });
}

template <class Object>
class StaticallyInitialisedObjects : public DestroyedObjects<Object> {};
using KindsWithInitialisers = testing::Types<PosixMutex, PosixSharedMutex, PosixCondition>;
TYPED_TEST_SUITE(StaticallyInitialisedObjects, KindsWithInitialisers);

TYPED_TEST(StaticallyInitialisedObjects, BeginAnewWithoutACall) {
  static TypeParam object;
  passes([&] {
    for (int n = 0; n < 2; ++n) {
      object.begin_without_a_call();
      in_parallel([&] { object.use(); }, [&] { object.use(); });
      object.end();
    }
  });
}

TYPED_TEST(StaticallyInitialisedObjects, FailWhenTheyAreUsedAfterTheirDestruction) {
  static TypeParam object;
  this->fails("which has been destroyed, by main at destroyed_objects_test.cpp:", [&] {
    object.begin_without_a_call();
    object.use();
    object.end();
    in_parallel([&] { object.use(); });
  });
}

TYPED_TEST(StaticallyInitialisedObjects, FailInTheExecutionAfterTheOneThatDestroyedThem) {
  static TypeParam object;
  object.begin_without_a_call();
  const FoundFailure failure = failure_of(exhaustively({.restore = hocket::Restore::nothing}), [] {
    object.use();
    object.end();
  });
  EXPECT_EQ(to_string(failure.kind), to_string(FailureKind::use_after_destruction)) << failure.message;
}

void take_turns() {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_first_done = false;
  in_parallel(
      [&] {
        const std::lock_guard lock(mutex);
        is_first_done = true;
        changed.notify_one();
      },
      [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return is_first_done; });
      });
}

TEST(AStandardConditionVariable, OfAFunctionThatIsCalledAgainIsANewOne) {
  passes([] {
    take_turns();
    take_turns();
  });
}

TEST(ObjectsOfTwoKinds, MayFollowEachOtherInTheSamePlace) {
  static union Place {
    PosixMutex mutex;
    PosixCondition condition;
    PosixSemaphore semaphore;
    Place() {}  // NOLINT(modernize-use-equals-default): members are not made
  } place;
  passes([] {
    const auto used_by_two = [](auto& object) {
      object.begin();
      in_parallel([&] { object.use(); }, [&] { object.use(); });
      object.end();
    };
    used_by_two(place.mutex);
    used_by_two(place.condition);
    used_by_two(place.semaphore);
  });
}

TEST(ObjectsOfTwoKinds, MayFollowEachOtherWithoutAnEnd) {
  static union Place {
    PosixMutex mutex;
    PosixCondition condition;
    Place() {}  // NOLINT(modernize-use-equals-default): members are not made
  } place;
  passes([] {
    place.mutex.begin();
    in_parallel([] { place.mutex.use(); }, [] { place.mutex.use(); });
    place.condition.begin();
    in_parallel([] { place.condition.use(); }, [] { place.condition.use(); });
  });
}

// -- Barriers that somebody waits for

TEST(ABarrier, OfTwoThreadsHasTwoClassesUnderEveryStrategy) {
  std::uint64_t classes = 0;
  for (const char* const strategy : kStrategies) {
    const Report report = explored(with(strategy), [] {
      pthread_barrier_t barrier;
      check(pthread_barrier_init(&barrier, nullptr, 2) == 0);
      int serial = 0;
      const auto wait = [&] {
        // NOLINTNEXTLINE(bugprone-posix-return): that constant is negative
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
      };
      in_parallel(wait, wait);
      check(serial == 1);
    });
    EXPECT_EQ(report.classes, 2U) << strategy;
    classes += report.classes;
  }
  EXPECT_NE(classes, 0U);
}

TEST(ABarrier, IsPassedAgainAndAgainUnderEveryStrategy) {
  passes([] {
    pthread_barrier_t barrier;
    check(pthread_barrier_init(&barrier, nullptr, 2) == 0);
    int arrived[2] = {};
    const auto rounds = [&](int self) {
      for (int round = 1; round <= 2; ++round) {
        arrived[self] = round;
        pthread_barrier_wait(&barrier);
        check(arrived[1 - self] == round);
        pthread_barrier_wait(&barrier);
      }
    };
    std::thread other([&] { rounds(1); });
    rounds(0);
    other.join();
    check(pthread_barrier_destroy(&barrier) == 0);
  });
}

// As POSIX has it: nobody waits any more, though the other may not have come back yet.
TEST(ABarrier, MayBeDestroyedByTheFirstWhoComesBack) {
  passes([] {
    pthread_barrier_t barrier;
    check(pthread_barrier_init(&barrier, nullptr, 2) == 0);
    const auto wait = [&] {
      // NOLINTNEXTLINE(bugprone-posix-return): that constant is negative
      if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD) return;
      check(pthread_barrier_destroy(&barrier) == 0);
      check(pthread_barrier_init(&barrier, nullptr, 1) == 0);
      pthread_barrier_wait(&barrier);
    };
    in_parallel(wait, wait);
  });
}

TEST(ABarrier, ThatIsWaitedForMustNotBeDestroyed) {
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    static pthread_barrier_t barrier;
    const Report report = report_of(exhaustively({.strategy = strategy, .keep_going = true}), [] {
      pthread_barrier_init(&barrier, nullptr, 2);
      std::thread waiter([] { pthread_barrier_wait(&barrier); });
      pthread_barrier_destroy(&barrier);
      waiter.join();
    });
    bool is_about_to_wait = false;
    bool waits = false;
    for (const FoundFailure& failure : report.failures) {
      is_about_to_wait |= failure.message.find("is about to perform mutex.lock on it") != std::string::npos;
      waits |= failure.message.find("while it is waited for") != std::string::npos;
    }
    EXPECT_EQ(report.classes, 0U) << report;
    EXPECT_TRUE(is_about_to_wait) << report;
    EXPECT_TRUE(waits) << report;
  }
}

// Whether the first thread waits by then depends on a step that is independent of the destruction.
TEST(ASemaphore, IsDestroyedBeforeOrWhileItIsWaitedForUnderEveryStrategy) {
  for (const char* const strategy : kStrategies) {
    SCOPED_TRACE(strategy);
    static sem_t semaphore;
    static std::atomic<int> last;
    const Report report = report_of(exhaustively({.strategy = strategy, .keep_going = true}), [] {
      sem_init(&semaphore, 0, 1);
      in_parallel(
          [] {
            last = 2;
            last.notify_one();
            sem_wait(&semaphore);
            sem_post(&semaphore);
          },
          [] {
            last = 0;
            last.notify_one();
            sem_wait(&semaphore);
            sem_destroy(&semaphore);
          });
    });
    EXPECT_EQ(report.verdict, Verdict::failed) << report;
    EXPECT_TRUE(report.stopped_by.empty()) << report;
    EXPECT_NE(report.classes, 0U) << "the first may also be done before";
  }
}

}  // namespace

}  // namespace unmodified
