// std::call_once, pthread_once and the initialisation of function-local statics.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <pthread.h>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(StdCallOnce, RunsItsFunctionOnceAndOrdersItBeforeAllThatCall) {
  const Outcomes by_whom = outcomes_by_bound([] {
    std::once_flag once;
    unsigned by = 0;
    const auto call = [&](unsigned who) {
      std::call_once(once, [&] { by += who; });
      check(by == 1 || by == 2, "it was not there yet, or came twice");
    };
    in_parallel([&] { call(1); }, [&] { call(2); });
    return by;
  });
  EXPECT_EQ(by_whom, (Outcomes{{1, 0}, {2, 0}}));
}

TEST(StdCallOnce, TriesAgainAfterAnException) {
  explored([] {
    std::once_flag once;
    int tries = 0;
    int caught = 0;
    std::mutex m;
    const auto call = [&] {
      try {
        std::call_once(once, [&] {
          if (++tries == 1) throw std::runtime_error("not yet");
        });
      } catch (const std::runtime_error&) {
        const std::lock_guard guard(m);
        ++caught;
      }
    };
    in_parallel(call, call);
    check(tries == 2 && caught == 1);
  });
}

/// Two threads between whose accesses there is nothing but a call of `call`, made before and after.
void expect_not_to_order(const std::function<void()>& call) {
  const FoundFailure failure = failure_of([&] {
    int shared = 0;
    std::atomic<bool> is_written{false};
    call();
    in_parallel(
        [&] {
          shared = 1;
          call();
          is_written.store(true, std::memory_order_relaxed);
        },
        [&] {
          if (!is_written.load(std::memory_order_relaxed)) return;
          call();
          check(shared == 1);
        });
  });
  EXPECT_EQ(failure.kind, FailureKind::data_race) << failure.message;
}

TEST(StdCallOnce, ThatHasBeenDoneOrdersNothing) {
  static std::once_flag once;
  expect_not_to_order([] { std::call_once(once, [] {}); });
}

TEST(PthreadOnce, ThatHasBeenDoneOrdersNothing) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  expect_not_to_order([] { pthread_once(&once, [] {}); });
}

TEST(AFunctionLocalStatic, ThatHasBeenMadeOrdersNothing) {
  expect_not_to_order([] {
    static const int made_once = std::rand();
    check(made_once >= 0);
  });
}

TEST(AnException, OrdersNothingAndIsNoStep) {
  const auto throws = [] {
    try {
      throw std::runtime_error("caught at once");
    } catch (const std::runtime_error&) {
    }
  };
  expect_not_to_order(throws);
  const Report report = explored([&] { in_parallel(throws, throws); });
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(report.steps, 0U);
}

TEST(StdCallOnce, ThatCallsItselfIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "", [] {
    static std::once_flag once;
    std::call_once(once, [] { std::call_once(once, [] {}); });
  });
}

int calls_of_once = 0;

TEST(PthreadOnce, RunsItsFunctionOnceInEachExecution) {
  const Report report = explored([] {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const auto call = [] {
      check(pthread_once(&once, [] { ++calls_of_once; }) == 0);
      check(calls_of_once == 1);
    };
    in_parallel(call, call);
  });
  EXPECT_GT(report.executions, 1U);
}

int made = 0;

struct Thing {
  Thing() { ++made; }
};
Thing& thing() {
  static Thing only;
  return only;
}

TEST(AFunctionLocalStatic, IsMadeOnceInEachExecution) {
  const Report report = explored([] {
    check(made == 0, "the last execution has left it");
    const auto use = [] {
      thing();
      check(made == 1);
    };
    in_parallel(use, use);
  });
  EXPECT_GT(report.executions, 1U);
}

TEST(AFunctionLocalStatic, WhoseConstructorThrowsIsTriedAgain) {
  explored([] {
    static int tries;
    struct Fails {
      Fails() {
        if (++tries == 1) throw std::runtime_error("not yet");
      }
    };
    const auto use = [] {
      try {
        static Fails fails;
      } catch (const std::runtime_error&) {
      }
    };
    in_parallel(use, use);
    check(tries == 2);
  });
}

TEST(AFunctionLocalStatic, OfABodyIsNotDestroyedWhenTheProgramEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_after_a_search = [] {
    explored([] {
      struct Tells {
        ~Tells() { std::fputs("destroyed\n", stderr); }
      };
      static const Tells tells;
      in_parallel([] {});
    });
    std::exit(0);
  };
  EXPECT_EXIT(end_after_a_search(), ::testing::ExitedWithCode(0), "^$");
}

TEST(AFunctionLocalStatic, IsDestroyedWhenTheBodyHasReturned) {
  int alive = 0;  // on the stack of the test, which is not put back
  explored([&] {
    struct Counted {
      explicit Counted(int& n) : alive(n) { ++alive; }
      ~Counted() { --alive; }
      int& alive;
    };
    check(alive == 0, "the last execution has left it");
    static const Counted counted(alive);
    in_parallel([] {});
    check(alive == 1);
  });
  EXPECT_EQ(alive, 0);
}

TEST(AFunctionLocalStatic, MayOwnAThreadThatItsDestructorJoins) {
  const Report report = explored([] {
    struct Worker {
      ~Worker() {
        {
          const std::lock_guard guard(m);
          is_over = true;
        }
        changed.notify_one();
        thread.join();
      }
      std::mutex m;
      std::condition_variable changed;
      bool is_over = false;
      std::thread thread{[this] {
        std::unique_lock lock(m);
        changed.wait(lock, [this] { return is_over; });
      }};
    };
    static Worker worker;
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively);
}

int depth_of(int n) {
  static const int deepest = n == 0 ? 0 : depth_of(n - 1);
  return deepest;
}

TEST(AFunctionLocalStatic, ThatNeedsItselfIsMisuse) {
  expect_failure(FailureKind::misuse, 0, "", [] { depth_of(3); });
}

}  // namespace

}  // namespace unmodified
