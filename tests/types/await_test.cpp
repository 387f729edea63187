// hocket::await: a wait for a predicate that costs no rounds of spinning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

constexpr const char* kComplete[] = {
    "icb", "dfs", "idfs", "best-first", "hb-cache", "icb-por", "cb-por", "cb-por-basic", "dpor", "dfs-sleep"};

TEST(Await, OfAFlagHasAClassForEachValueThatItMaySeeFirst) {
  for (const char* strategy : kComplete) {
    const Report report = report_of(with(strategy), [] {
      atomic<bool> ready{false};
      in_parallel([&] { await([&] { return ready.load(); }); }, [&] { ready.store(true); });
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
    EXPECT_EQ(report.classes, 2U) << strategy;  // looked before the store, or after it
    EXPECT_LE(report.executions, 2U) << strategy;
  }
}

// Who stands before a wait for a notification, with which it will evaluate its predicate again, does not wait
// for one yet, and no notification reaches it.
TEST(Await, OfAWaitOnAnAtomicIsNoWaiterBeforeItWaits) {
  for (const char* strategy : kComplete) {
    const Report report = report_of(with(strategy), [] {
      atomic<int> cell{1};
      atomic<bool> ready{false};
      in_parallel(
          [&] {
            await([&] {
              cell.wait(0);
              return ready.load();
            });
          },
          [&] { cell.wait(1); },
          [&] {
            cell.notify_one();
            cell.store(2);
            ready.store(true);
            cell.notify_all();
          });
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
    EXPECT_EQ(report.classes, 132U) << strategy;
  }
}

TEST(Await, EndsWithThePredicateTrueUnderEveryStrategy) {
  for (const char* strategy : kComplete) {
    const Report report = report_of(with(strategy), [] {
      atomic<int> a{0};
      atomic<int> b{0};
      in_parallel(
          [&] {
            await([&] { return a.load() == 1 && b.load() == 1; });
            check(a.load() == 1);
            check(b.load() == 1);
          },
          [&] { a.store(1); }, [&] { b.store(1); });
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
  }
}

TEST(Await, UnderAMutexIsWokenByWhoeverLocksIt) {
  for (const char* strategy : kComplete) {
    const Report report = report_of(with(strategy), [] {
      mutex m;
      bool is_done = false;
      in_parallel(
          [&] {
            await([&] {
              const std::lock_guard lock(m);
              return is_done;
            });
          },
          [&] {
            const std::lock_guard lock(m);
            is_done = true;
          });
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
  }
}

TEST(Await, OfWhatNobodyChangesIsADeadlock) {
  int line = 0;
  const std::string message = message_of(FailureKind::deadlock, [&] {
    atomic<int> x{0};
    name(x, "x");
    line = __LINE__ + 1;
    await([&] { return x.load() == 1; });
  });
  EXPECT_EQ(
      message, "deadlock: no thread can continue\n  main waits in await for a change of x since step 1 at " +
                   place(line) + "; no other thread has changed x");
}

TEST(Await, ThatWaitsForEverTellsOfTheLastChange) {
  int line = 0;
  const std::string message = message_of(FailureKind::deadlock, [&] {
    atomic<int> x{0};
    name(x, "x");
    in_parallel([&] { await([&] { return x.load() == 2; }); },
        [&] {
          line = __LINE__ + 1;
          x.store(1);
          int expected = 7;
          x.compare_exchange_strong(expected, 2);
        });
  });
  EXPECT_THAT(message, HasSubstr("; x was last changed by thread 2 in step "));
  EXPECT_THAT(message, HasSubstr(" at " + place(line)));
}

TEST(Await, OfTheClockSaysWhatToUseInstead) {
  const std::string message = message_of(FailureKind::deadlock,
      [] { await([] { return steady_clock::now().time_since_epoch() > std::chrono::seconds(1); }); });
  EXPECT_THAT(message, HasSubstr("no time passes for an await: to wait for a time, call"));
}

TEST(Await, OfPlainDataAloneIsMisuse) {
  const std::string message = message_of(FailureKind::misuse, [] {
    bool never = false;
    await([&] { return never; });
  });
  EXPECT_THAT(message, HasSubstr("the predicate of an await in main performs no operation"));
}

TEST(Await, InThePredicateOfAnotherIsMisuse) {
  const std::string message = message_of(FailureKind::misuse, [] {
    atomic<int> x{1};
    await([&] {
      await([&] { return x.load() == 1; });
      return x.load() == 1;
    });
  });
  EXPECT_THAT(message, HasSubstr("main calls await in the predicate of another await"));
}

// 0 is not 1; then the store; and 1 is not 2: what the first look saw has changed, so it has to look again.
TEST(Await, ThatLooksTwiceAtWhatChangesInBetweenLooksAgain) {
  for (const char* strategy : kComplete) {
    const Report report = report_of(with(strategy), [] {
      atomic<int> x{0};
      in_parallel([&] { await([&] { return x.load() == 1 || x.load() == 2; }); }, [&] { x.store(1); });
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
    EXPECT_EQ(report.classes, 3U) << strategy;  // the store before both looks, between them, after them
  }
}

TEST(Await, ThatLocksTwiceWaitsForWhoeverLocksInBetween) {
  for (const char* strategy : kComplete) {
    const Report report = report_of(with(strategy), [] {
      mutex m;
      int value = 0;
      const auto holds = [&](int wanted) {
        const std::lock_guard lock(m);
        return value == wanted;
      };
      in_parallel([&] { await([&] { return holds(1) || holds(2); }); },
          [&] {
            const std::lock_guard lock(m);
            value = 1;
          });
    });
    EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << strategy << report;
  }
}

TEST(Await, ThatChangesSomethingItselfDoesNotTakeThatForAChange) {
  const FoundFailure failure = failure_of([] {
    atomic<int> looks{0};
    await([&] {
      looks.fetch_add(1);
      looks.fetch_add(1);
      return looks.load() == 7;
    });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
}

TEST(Await, OfAChangeThatIsNoneGoesOnWaiting) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    in_parallel([&] { await([&] { return x.load() == 2; }); }, [&] { x.store(1); });
  });
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_EQ(failure.bound, 0U);
}

TEST(Await, WithAPredicateThatThrowsIsLeft) {
  expect_to_pass(quietly(), [] {
    atomic<int> x{0};
    try {
      await([&]() -> bool {
        if (x.load() == 0) throw 1;
        return true;
      });
    } catch (int) {
    }
    x.store(1);
    await([&] { return x.load() == 1; });
  });
}

TEST(Await, OutsideABodySpins) {
  atomic<bool> ready{true};
  await([&] { return ready.load(); });
}

}  // namespace

}  // namespace hocket::test
