// The futex system call, made by the program itself.
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <set>
#include <string>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unmodified/pthread/pthread_clocks.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using Word = std::atomic<std::uint32_t>;

long futex(Word& word, int operation, std::uint32_t value, const timespec* time = nullptr,
    Word* other = nullptr, std::uint32_t third_value = FUTEX_BITSET_MATCH_ANY) {
  return syscall(SYS_futex, &word, operation, value, time, other, third_value);
}
/// Of calls that take a second value instead of a time.
long futexes(Word& word, int operation, std::uint32_t value, long second_value, Word* other,
    std::uint32_t third_value = 0) {
  return syscall(SYS_futex, &word, operation, value, second_value, other, third_value);
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

// Reductions must know that the wait may end by itself.
TEST(AFutex, WithATimeHasTheSameClassesUnderEveryStrategy) {
  const auto body = [] {
    Word word{0};
    in_parallel(
        [&] {
          const timespec time{0, 1000};
          futex(word, FUTEX_WAIT, 0, &time);
          futex(word, FUTEX_WAIT, 1, &time);
        },
        [&] {
          word.store(1);
          futex(word, FUTEX_WAKE, 1);
        });
  };
  Options options = exhaustively();
  const std::uint64_t classes = explored(body, options).classes;
  for (const char* strategy : {"icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"}) {
    options.strategy = strategy;
    EXPECT_EQ(explored(body, options).classes, classes) << strategy;
  }
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
  explored(within(0), wake(INT_MAX));
  explored(within(0), wake(3));
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

// -- What calls return, and whom they reach

TEST(AFutex, WokenWithoutAChangeOfItsValueIsWaitedForNoLonger) {
  explored_everywhere([] {
    Word word{0};
    const timespec time{0, 1000};
    in_parallel(
        [&] {
          const long result = futex(word, FUTEX_WAIT, 0, &time);
          check(result == 0 || errno == ETIMEDOUT);
        },
        [&] { futex(word, FUTEX_WAKE, 1); });
  });
  explored(within(2), [] {
    Word word{0};
    in_parallel([&] { check(futex(word, FUTEX_WAIT, 0) == 0); },
        [&] {
          while (futex(word, FUTEX_WAKE, 1) == 0) std::this_thread::yield();
        });
  });
}

TEST(AWakingCall, ReturnsHowManyThreadsItHasWoken) {
  const std::set<unsigned> all{0, 1, 2};
  const auto woken_by = [](std::uint32_t count) {
    return outcomes_of([count] {
      Word word{0};
      unsigned woken = 0;
      const auto wait = [&] {
        if (word.load() == 0) futex(word, FUTEX_WAIT, 0);
      };
      in_parallel(wait, wait, [&] {
        word.store(1);
        woken = static_cast<unsigned>(futex(word, FUTEX_WAKE, count));
        futex(word, FUTEX_WAKE, INT_MAX);
      });
      return woken;
    });
  };
  EXPECT_EQ(woken_by(INT_MAX), all);
  EXPECT_EQ(woken_by(1U << 30U), all);
  EXPECT_EQ(woken_by(2), all);
  EXPECT_EQ(woken_by(1), (std::set<unsigned>{0, 1}));
  EXPECT_EQ(woken_by(0), (std::set<unsigned>{0, 1})) << "Linux wakes one";
  EXPECT_EQ(woken_by(UINT32_MAX), (std::set<unsigned>{0, 1})) << "-1 to Linux";
}

TEST(AWakingCall, IsOneStepHoweverManyItMayWake) {
  const auto executions = [](std::uint32_t count) {
    return explored([count] {
      Word word{0};
      in_parallel([&] { futex(word, FUTEX_WAKE, count); }, [&] { word.load(); });
    }).executions;
  };
  EXPECT_EQ(executions(32'767), executions(1));
}

TEST(AWakingCall, OrdersWhatThreadsDoBeforeAndAfterAWait) {
  explored_everywhere([] {
    Word word{0};
    int by_waiter = 0;
    int by_waker = 0;
    in_parallel(
        [&] {
          by_waiter = 1;
          if (futex(word, FUTEX_WAIT, 0) == 0) check(by_waker == 1);
        },
        [&] {
          by_waker = 1;
          if (futex(word, FUTEX_WAKE, 1) == 1) {
            check(by_waiter == 1);
          } else {
            word.store(1);
            futex(word, FUTEX_WAKE, 1);
          }
        });
  });
}

TEST(AWakingCall, DoesNotOrderWhatItsThreadDoesAfterIt) {
  expect_failure(FailureKind::data_race, 0, "data race", [] {
    Word word{0};
    int data = 0;
    in_parallel(
        [&] {
          if (futex(word, FUTEX_WAIT, 0) == 0) data = 1;
        },
        [&] {
          const bool wakes = futex(word, FUTEX_WAKE, 1) == 1;
          if (wakes) {
            data = 2;
          } else {
            word.store(1);
            futex(word, FUTEX_WAKE, 1);
          }
        });
  });
}

TEST(AFutex, IsWaitedForWithBitsOfWhichTheWakingCallMustHaveOne) {
  const auto wake = [](std::uint32_t bits, int waits, int wakes) {
    return [bits, waits, wakes] {
      Word word{0};
      in_parallel(
          [&] {
            if (word.load() == 0) futex(word, waits, 0, nullptr, nullptr, 5);
          },
          [&] {
            word.store(1);
            futex(word, wakes, 1, nullptr, nullptr, bits);
          });
    };
  };
  explored_everywhere(wake(4, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET));
  explored_everywhere(wake(0, FUTEX_WAIT_BITSET, FUTEX_WAKE));
  explored_everywhere(wake(8, FUTEX_WAIT, FUTEX_WAKE_BITSET));
  expect_failure(FailureKind::deadlock, 0,
      "which reached none of those that waited, thread 1: a wait and what ends it need a bit in common",
      wake(2, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET));
  expect_failure(FailureKind::deadlock, 0, "FUTEX_PRIVATE_FLAG both or neither",
      wake(1, FUTEX_WAIT_PRIVATE, FUTEX_WAKE));
}

TEST(ARequeueingCall, WakesSomeAndLetsOthersWaitForAnotherFutex) {
  explored([] {
    Word from{0};
    Word to{0};
    std::atomic<unsigned> woken{0};
    const auto wait = [&] {
      if (futex(from, FUTEX_WAIT, 0) == 0) ++woken;
    };
    std::thread one(wait);
    std::thread other(wait);
    const long reached = futexes(from, FUTEX_CMP_REQUEUE, 1, 1, &to, 0);
    from.store(1);
    const long at_first = futex(from, FUTEX_WAKE, INT_MAX);
    const long at_second = futex(to, FUTEX_WAKE, INT_MAX);
    one.join();
    other.join();
    check(at_second == (reached == 2 ? 1 : 0));
    check(reached + at_first == woken.load());
  });
}

TEST(ARequeueingCall, LeavesThreadsWhereTheyAreIfTheValueIsAnother) {
  explored([] {
    Word from{1};
    Word to{0};
    errno = 0;
    check(futexes(from, FUTEX_CMP_REQUEUE, 1, 1, &to, 0) == -1 && errno == EAGAIN);
    check(futexes(from, FUTEX_REQUEUE, 1, 1, &to) == 0);
  });
}

TEST(ARequeueingCall, OfWhichNobodyWakesTheOthersIsADeadlock) {
  const FoundFailure failure = failure_of([] {
    Word from{0};
    Word to{0};
    const auto wait = [&] { futex(from, FUTEX_WAIT, 0); };
    in_parallel(wait, [&] {
      futexes(from, FUTEX_REQUEUE, 0, 1, &to);
      from.store(1);
      futex(from, FUTEX_WAKE, INT_MAX);
    });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock) << failure.message;
}

// Only the call that wakes at the other futex lets the chosen one go on.
TEST(ARequeueingCall, LetsOneOfSeveralWaitForAnotherFutexUnderEveryStrategy) {
  std::set<std::uint64_t> classes;
  for (const char* const strategy : {"icb", "cb-por", "hb-cache"}) {
    classes.insert(explored(with(strategy), [] {
      Word from{0};
      Word to{0};
      std::atomic<unsigned> passed{0};
      const auto wait = [&] {
        if (futex(from, FUTEX_WAIT, 0) == 0) passed.store(1);
      };
      std::thread one(wait);
      std::thread other(wait);
      in_parallel([&] { futexes(from, FUTEX_REQUEUE, 0, 1, &to); }, [&] { futex(to, FUTEX_WAKE, 1); },
          [&] { passed.load(); });
      from.store(1);
      futex(from, FUTEX_WAKE, INT_MAX);
      futex(to, FUTEX_WAKE, INT_MAX);
      one.join();
      other.join();
    }).classes);
  }
  EXPECT_EQ(classes.size(), 1U) << "strategies differ";
}

TEST(AThreadThatWasMovedToAnotherFutex, StillExpires) {
  EXPECT_EQ(outcomes_of([] {
    Word from{0};
    Word to{0};
    unsigned is_woken = 0;
    in_parallel(
        [&] {
          const timespec time{0, 1000};
          is_woken = futex(from, FUTEX_WAIT, 0, &time) == 0 ? 1 : 0;
        },
        [&] {
          futexes(from, FUTEX_REQUEUE, 0, 1, &to);
          futex(to, FUTEX_WAKE, 1);
        });
    return is_woken;
  }),
      (std::set<unsigned>{0, 1}));
}

TEST(AWakingCallThatChangesAWord, WakesAtTheOtherWordIfTheOldValueIsAsTold) {
  const auto result = [](unsigned change, unsigned comparison, unsigned by, unsigned with) {
    Word first{0};
    Word second{5};
    errno = 0;
    const long woken =
        futexes(first, FUTEX_WAKE_OP, 1, 1, &second, change << 28U | comparison << 24U | by << 12U | with);
    check(woken == 0 || (woken == -1 && errno == ENOSYS));
    return woken == 0 ? static_cast<int>(second.load()) : -1;
  };
  explored([&] {
    constexpr unsigned kShift = FUTEX_OP_OPARG_SHIFT;
    check(result(FUTEX_OP_SET, FUTEX_OP_CMP_EQ, 3, 0) == 3);
    check(result(FUTEX_OP_ADD, FUTEX_OP_CMP_EQ, 0xfff, 0) == 4);
    check(result(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 2, 0) == 7);
    check(result(FUTEX_OP_ANDN, FUTEX_OP_CMP_EQ, 4, 0) == 1);
    check(result(FUTEX_OP_XOR, FUTEX_OP_CMP_EQ, 1, 0) == 4);
    check(result(FUTEX_OP_SET | kShift, FUTEX_OP_CMP_EQ, 4, 0) == 16);
    check(result(7, FUTEX_OP_CMP_EQ, 1, 0) == -1);
    check(result(FUTEX_OP_SET, 6, 1, 0) == -1);
  });
  const auto woken_if = [](unsigned comparison, unsigned with) {
    return outcomes_of([comparison, with] {
      Word first{0};
      Word second{1};
      long woken = 0;
      in_parallel([&] { futex(second, FUTEX_WAIT, 1); },
          [&] {
            woken = futexes(first, FUTEX_WAKE_OP, 1, 1, &second,
                static_cast<unsigned>(FUTEX_OP_ADD) << 28U | comparison << 24U | 1U << 12U | with);
            futex(second, FUTEX_WAKE, 1);
          });
      return static_cast<unsigned>(woken);
    });
  };
  const std::set<unsigned> either{0, 1};
  const std::set<unsigned> none{0};
  constexpr unsigned kMinusOne = 0xfff;
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_EQ, 1), either);
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_EQ, 2), none);
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_NE, 1), none);
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_LT, 1), none);
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_LE, 1), either);
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_GT, kMinusOne), either);
  EXPECT_EQ(woken_if(FUTEX_OP_CMP_GE, 2), none);
}

TEST(ACallOfAFutex, FailsAsLinuxLetsItFail) {
  explored([] {
    Word word{0};
    Word other{0};
    const timespec time{0, 1000};
    const auto error = [](long result) { return result == -1 ? errno : 0; };
    const auto at = [&](std::uintptr_t address, int operation) {
      return error(syscall(SYS_futex, address, operation, 0, &time, &other, 1));
    };
    check(error(futex(word, FUTEX_WAIT, 1, &kNoTime)) == EINVAL);
    check(error(futex(word, FUTEX_WAIT_BITSET, 1, nullptr, nullptr, 0)) == EINVAL);
    check(error(futex(word, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 0)) == EINVAL);
    for (const int operation : {FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE})
      check(error(futex(word, operation | FUTEX_CLOCK_REALTIME, 0, &time, &other)) == ENOSYS);
    for (const int operation : {FUTEX_WAIT_PRIVATE, FUTEX_WAKE_PRIVATE, FUTEX_REQUEUE_PRIVATE})
      check(at(reinterpret_cast<std::uintptr_t>(&word) + 2, operation) == EINVAL);
    for (const int operation : {FUTEX_WAIT, FUTEX_WAIT_PRIVATE, FUTEX_WAKE})
      check(at(0, operation) == EFAULT);
    check(at(0, FUTEX_WAKE_PRIVATE) == 0);
    check(error(futexes(word, FUTEX_REQUEUE, UINT32_MAX, 0, &other)) == EINVAL);
    check(error(futexes(word, FUTEX_REQUEUE, 0, -1L, &other)) == EINVAL);
    check(error(futex(word, FUTEX_FD, 0)) == ENOSYS);
    check(error(futex(word, 20, 0)) == ENOSYS);
  });
}

TEST(ACallOfAFutex, OfAKindThatIsNotControlledIsRefused) {
  const auto refuses = [](const char* name, const auto& call) {
    expect_failure(FailureKind::misuse, 0, std::string("makes a system call ") + name + ", which", [&call] {
      Word word{0};
      call(word);
    });
  };
  const auto refuses_operation = [&](const char* name, int operation) {
    refuses(name, [operation](Word& word) { futex(word, operation, 0); });
  };
  refuses_operation("FUTEX_LOCK_PI", FUTEX_LOCK_PI);
  refuses_operation("FUTEX_UNLOCK_PI", FUTEX_UNLOCK_PI_PRIVATE);
  refuses_operation("FUTEX_TRYLOCK_PI", FUTEX_TRYLOCK_PI);
  refuses_operation("FUTEX_WAIT_REQUEUE_PI", FUTEX_WAIT_REQUEUE_PI | FUTEX_CLOCK_REALTIME);
  refuses_operation("FUTEX_CMP_REQUEUE_PI", FUTEX_CMP_REQUEUE_PI);
  constexpr int kLockPi2 = 13;  // of Linux 5.14
  refuses_operation("FUTEX_LOCK_PI2", kLockPi2);
  constexpr long kFutexWaitv = 449;  // of Linux 5.16
  refuses("futex_waitv", [](Word&) { syscall(kFutexWaitv, nullptr, 0, 0, nullptr, 0); });
  constexpr long kFutexWake = 454;  // of Linux 6.7
  refuses("futex_wake", [](Word& word) { syscall(kFutexWake, &word, -1L, 1, 2); });
}

TEST(OtherSystemCalls, GoToTheSystem) {
  explored([] {
    check(syscall(SYS_getpid) == getpid());
    check(syscall(SYS_gettid) == gettid());
  });
}

}  // namespace

}  // namespace unmodified
