// The futex system call, made by the program itself.
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unmodified/pthread_clocks.hpp"
#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::FailureKind;

using Word = std::atomic<std::uint32_t>;

long futex(Word& word, int operation, std::uint32_t value, const timespec* time = nullptr) {
  return syscall(SYS_futex, &word, operation, value, time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

TEST(AFutex, LetsAWaiterSleepUntilItIsWoken) {
  explored([] {
    Word word{0};
    int data = 0;
    in_parallel(
        [&] {
          while (word.load() == 0) {
            const long result = futex(word, FUTEX_WAIT_PRIVATE, 0);
            check(result == 0 || errno == EAGAIN);
          }
          check(data == 1);
        },
        [&] {
          data = 1;
          word.store(1);
          futex(word, FUTEX_WAKE_PRIVATE, 1);
        });
  });
}

TEST(AFutex, ThatHasAnotherValueIsNotWaitedFor) {
  explored([] {
    Word word{1};
    errno = 0;
    check(futex(word, FUTEX_WAIT, 0) == -1 && errno == EAGAIN);
  });
}

TEST(AFutex, ThatNobodyWakesIsADeadlock) {
  expect_failure(FailureKind::deadlock, 0, "deadlock", [] {
    Word word{0};
    in_parallel([&] { futex(word, FUTEX_WAIT, 0); }, [&] { word.store(1); });
  });
}

TEST(AFutex, WakesAsManyAsItIsTold) {
  const auto wake = [](std::uint32_t count) {
    return [count] {
      Word word{0};
      const auto wait = [&] { futex(word, FUTEX_WAIT_BITSET, 0); };
      in_parallel(wait, wait, wait, [&] {
        word.store(1);
        futex(word, FUTEX_WAKE_BITSET, count);
      });
    };
  };
  explored_within(0, wake(INT_MAX));
  explored_within(0, wake(3));
  expect_failure(FailureKind::deadlock, 0, "deadlock", wake(2));
}

TEST(AFutex, IsWokenInTimeOrItsTimeRunsOut) {
  const auto beside_a_waker = [](const auto& wait) {
    return outcomes_by_bound([&wait] {
      Word word{0};
      unsigned in_time = 1;
      in_parallel(
          [&] {
            errno = 0;
            if (wait(word) == 0) return;
            in_time = errno == ETIMEDOUT ? 0 : 1;
            check(errno == ETIMEDOUT || errno == EAGAIN);
          },
          [&] {
            word.store(1);
            futex(word, FUTEX_WAKE, 1);
          });
      return in_time;
    });
  };
  const Outcomes either{{0, 1}, {1, 0}};
  EXPECT_EQ(beside_a_waker([](Word& word) {
    const timespec time{1, 0};
    return futex(word, FUTEX_WAIT, 0, &time);
  }),
      either);
  EXPECT_EQ(beside_a_waker([](Word& word) {
    const timespec time = from_now(CLOCK_MONOTONIC, 1);
    return futex(word, FUTEX_WAIT_BITSET, 0, &time);
  }),
      either);
  EXPECT_EQ(beside_a_waker([](Word& word) {
    const timespec time = from_now(CLOCK_REALTIME, 1);
    return futex(word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &time);
  }),
      either);
}

TEST(AFutex, WaitedForUntilWhatIsNoTimeIsRefused) {
  explored([] {
    Word word{0};
    errno = 0;
    check(futex(word, FUTEX_WAIT, 0, &kNoTime) == -1 && errno == EINVAL);
  });
}

TEST(AFutex, OfAKindThatIsNotControlledIsRefused) {
  expect_failure(FailureKind::misuse, 0, "futex system call of a kind", [] {
    Word word{0};
    futex(word, FUTEX_LOCK_PI, 0);
  });
}

TEST(OtherSystemCalls, GoToTheSystem) {
  explored([] {
    check(syscall(SYS_getpid) == getpid());
    check(syscall(SYS_gettid) == gettid());
  });
}

}  // namespace

}  // namespace unmodified
