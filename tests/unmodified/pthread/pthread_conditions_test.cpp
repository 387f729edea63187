// pthread_cond_t and pthread_barrier_t, as POSIX says it.
#include <cerrno>

#include <pthread.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

/// A flag that one thread sets and others wait for.
struct Event {
  explicit Event(clockid_t clock = CLOCK_REALTIME) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, clock);
    check(pthread_cond_init(&changed, &attributes) == 0);
    pthread_condattr_destroy(&attributes);
  }
  ~Event() { check(pthread_cond_destroy(&changed) == 0); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set(int (*notify)(pthread_cond_t*) noexcept) {
    pthread_mutex_lock(&mutex);
    is_set = true;
    pthread_mutex_unlock(&mutex);
    check(notify(&changed) == 0);
  }
  /// Returns the error of the last wait. `once()` waits.
  template <class Once>
  int wait(const Once& once) {
    pthread_mutex_lock(&mutex);
    int error = 0;
    while (!is_set && error == 0) error = once();
    pthread_mutex_unlock(&mutex);
    return error;
  }

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed;
  bool is_set = false;
};

TEST(APthreadConditionVariable, WakesOneByASignalAndAllByABroadcast) {
  explored([] {
    Event event;
    in_parallel(
        [&] { check(event.wait([&] { return pthread_cond_wait(&event.changed, &event.mutex); }) == 0); },
        [&] { event.set(&pthread_cond_signal); });
  });
  explored(within(1), [] {
    Event event;
    const auto wait = [&] {
      check(event.wait([&] { return pthread_cond_wait(&event.changed, &event.mutex); }) == 0);
    };
    in_parallel(wait, wait, [&] { event.set(&pthread_cond_broadcast); });
  });
}

TEST(APthreadConditionVariable, SignalledForTwoThatWaitIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    Event event;
    const auto wait = [&] { event.wait([&] { return pthread_cond_wait(&event.changed, &event.mutex); }); };
    in_parallel(wait, wait, [&] { event.set(&pthread_cond_signal); });
  });
}

TEST(ATimedWaitOnAPthreadConditionVariable, IsWokenOrItsTimeRunsOut) {
  const auto beside_a_setter = [](clockid_t clock, const auto& once) {
    return outcomes_by_bound([clock, &once] {
      Event event(clock);
      unsigned in_time = 0;
      in_parallel([&] { in_time = event.wait([&] { return once(event); }) == 0 ? 1 : 0; },
          [&] { event.set(&pthread_cond_signal); });
      return in_time;
    });
  };
  const Outcomes either{{0, 1}, {1, 0}};
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
    EXPECT_EQ(beside_a_setter(clock,
                  [clock](Event& event) {
                    const timespec time = from_now(clock, 1);
                    const int error = pthread_cond_timedwait(&event.changed, &event.mutex, &time);
                    check(error == 0 || error == ETIMEDOUT);
                    return error;
                  }),
        either);
    EXPECT_EQ(beside_a_setter(CLOCK_REALTIME,
                  [clock](Event& event) {
                    const timespec time = from_now(clock, 1);
                    return pthread_cond_clockwait(&event.changed, &event.mutex, clock, &time);
                  }),
        either);
  }
}

TEST(ATimedWaitOnAPthreadConditionVariable, RunsOutWhoeverHoldsTheMutex) {
  const Outcomes outcomes = outcomes_by_bound([] {
    Event event(CLOCK_MONOTONIC);
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    unsigned outcome = 0;
    in_parallel(
        [&] {
          pthread_mutex_lock(&event.mutex);
          if (!event.is_set) {
            const int error = pthread_cond_clockwait(&event.changed, &event.mutex, CLOCK_MONOTONIC, &time);
            outcome = 1 + (error == ETIMEDOUT ? 2 : 0) + (event.is_set ? 1 : 0);
          }
          pthread_mutex_unlock(&event.mutex);
        },
        [&] {
          pthread_mutex_lock(&event.mutex);
          event.is_set = true;
          pthread_cond_signal(&event.changed);
          pthread_mutex_unlock(&event.mutex);
        });
    return outcome;
  });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {2, 0}, {3, 1}, {4, 1}}));
}

TEST(ATimedWaitOnAPthreadConditionVariable, LastsAsLongOnTheClockThatWasSet) {
  explored([] {
    for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
      Event event(clock);
      const timespec begin = from_now(clock, 0);
      const timespec time = from_now(clock, 5);
      const int error =
          event.wait([&] { return pthread_cond_timedwait(&event.changed, &event.mutex, &time); });
      const timespec end = from_now(clock, 0);
      check(error == ETIMEDOUT && end.tv_sec - begin.tv_sec == 5);
    }
  });
}

TEST(ATimedWaitOnAPthreadConditionVariable, UntilWhatIsNoTimeIsRefused) {
  explored([] {
    Event event;
    check(
        event.wait([&] { return pthread_cond_timedwait(&event.changed, &event.mutex, &kNoTime); }) == EINVAL);
  });
}

TEST(APthreadConditionVariable, WaitedForWithoutTheMutexIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "without holding", [] {
    Event event;
    pthread_cond_wait(&event.changed, &event.mutex);
  });
}

TEST(APthreadConditionVariable, WaitedForWithAMutexHeldTwiceIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "2 times", [] {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex);
  });
}

TEST(APthreadBarrier, LetsNobodyOnBeforeAllHaveComeAndTellsOneOfThem) {
  explored([] {
    pthread_barrier_t barrier;
    check(pthread_barrier_init(&barrier, nullptr, 2) == 0);
    int arrived[2] = {0, 0};
    int serial[2] = {0, 0};
    const auto come = [&](int self) {
      arrived[self] = 1;
      const int result = pthread_barrier_wait(&barrier);
      check(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
      serial[self] = result == 0 ? 0 : 1;
      check(arrived[1 - self] == 1);
    };
    in_parallel([&] { come(0); }, [&] { come(1); });
    check(serial[0] + serial[1] == 1);
    check(pthread_barrier_destroy(&barrier) == 0);
  });
}

TEST(APthreadBarrier, OfNobodyIsNone) {
  explored([] {
    pthread_barrier_t barrier;
    check(pthread_barrier_init(&barrier, nullptr, 0) == EINVAL);
  });
}

TEST(APthreadBarrier, MadeOutsideTheBodyIsRefused) {
  static pthread_barrier_t barrier;
  ASSERT_EQ(pthread_barrier_init(&barrier, nullptr, 1), 0);
  expect_failure(
      FailureKind::misuse, 0, "call pthread_barrier_init()", [] { pthread_barrier_wait(&barrier); });
  EXPECT_EQ(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
}

}  // namespace

}  // namespace unmodified
