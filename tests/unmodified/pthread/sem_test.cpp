// sem_t, unnamed, as POSIX says it.
#include <cerrno>

#include <semaphore.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

class Permits {
 public:
  explicit Permits(unsigned permits) { check(sem_init(&semaphore_, 0, permits) == 0); }
  ~Permits() { check(sem_destroy(&semaphore_) == 0); }
  Permits(const Permits&) = delete;
  Permits& operator=(const Permits&) = delete;

  sem_t* get() { return &semaphore_; }

 private:
  sem_t semaphore_;
};

TEST(APosixSemaphore, LetsInAsManyAsItCounts) {
  const Report report = explored([] {
    Permits permits(1);
    int inside = 0;
    const auto section = [&] {
      check(sem_wait(permits.get()) == 0);
      check(++inside == 1);
      --inside;
      check(sem_post(permits.get()) == 0);
    };
    in_parallel(section, section, section);
  });
  EXPECT_EQ(report.classes, 6U);
}

TEST(APosixSemaphore, OrdersThePosterBeforeTheWaiter) {
  explored([] {
    Permits full(0);
    int data = 0;
    in_parallel(
        [&] {
          data = 1;
          sem_post(full.get());
        },
        [&] {
          sem_wait(full.get());
          check(data == 1);
        });
  });
}

TEST(APosixSemaphore, IsTriedForAndMayHaveNoPermit) {
  const Outcomes outcomes = outcomes_by_bound([] {
    Permits permits(0);
    unsigned got = 0;
    in_parallel([&] { sem_post(permits.get()); },
        [&] {
          errno = 0;
          got = sem_trywait(permits.get()) == 0 ? 1 : 0;
          check(got == 1 || errno == EAGAIN);
        });
    return got;
  });
  EXPECT_EQ(outcomes, (Outcomes{{0, 0}, {1, 0}}));
}

TEST(APosixSemaphore, TellsItsCount) {
  explored([] {
    Permits permits(3);
    int count = 0;
    check(sem_getvalue(permits.get(), &count) == 0 && count == 3);
    sem_wait(permits.get());
    check(sem_getvalue(permits.get(), &count) == 0 && count == 2);
  });
}

TEST(APosixSemaphore, IsNotChangedByALookAtItsCount) {
  for (const char* const strategy : {"icb", "cb-por"}) {
    const auto body = [] {
      Permits permits(1);
      const auto look = [&] {
        int count = 0;
        check(sem_getvalue(permits.get(), &count) == 0 && (count == 1 || count == 2));
      };
      in_parallel(look, look, [&] { sem_post(permits.get()); });
    };
    EXPECT_EQ(explored(body, with(strategy)).classes, 4U)
        << strategy;  // each look comes before the post or after it
  }
}

TEST(APosixSemaphore, ThatNobodyPostsIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    Permits permits(0);
    sem_wait(permits.get());
  });
}

TEST(APosixSemaphore, ThatIsFullTakesNoMore) {
  explored([] {
    Permits permits(SEM_VALUE_MAX);
    errno = 0;
    check(sem_post(permits.get()) == -1 && errno == EOVERFLOW);
  });
}

TEST(ATimedWaitForAPosixSemaphore, SucceedsOrItsTimeRunsOut) {
  const auto beside_a_poster = [](const auto& wait) {
    return outcomes_by_bound([&wait] {
      Permits permits(0);
      unsigned got = 0;
      in_parallel(
          [&] {
            errno = 0;
            got = wait(permits.get()) == 0 ? 1 : 0;
            check(got == 1 || errno == ETIMEDOUT);
          },
          [&] { sem_post(permits.get()); });
      return got;
    });
  };
  const Outcomes either{{0, 1}, {1, 0}};
  EXPECT_EQ(beside_a_poster([](sem_t* permits) {
    const timespec time = from_now(CLOCK_REALTIME, 1);
    return sem_timedwait(permits, &time);
  }),
      either);
  EXPECT_EQ(beside_a_poster([](sem_t* permits) {
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    return sem_clockwait(permits, CLOCK_MONOTONIC, &time);
  }),
      either);
}

TEST(ATimedWaitForAPosixSemaphore, UntilWhatIsNoTimeIsRefused) {
  explored([] {
    Permits permits(0);
    errno = 0;
    check(sem_timedwait(permits.get(), &kNoTime) == -1 && errno == EINVAL);
  });
}

TEST(APosixSemaphore, KeepsWhatItWasGivenOutsideTheBody) {
  static sem_t semaphore;
  ASSERT_EQ(sem_init(&semaphore, 0, 2), 0);
  explored([] {
    check(sem_trywait(&semaphore) == 0);
    check(sem_trywait(&semaphore) == 0);
    check(sem_trywait(&semaphore) == -1);
  });
  EXPECT_EQ(sem_trywait(&semaphore), 0) << "a body has changed it";
  sem_destroy(&semaphore);
}

}  // namespace

}  // namespace unmodified
