// Exceptions and destructors on logical threads, also while a failed execution is cleaned up.
#include <gtest/gtest.h>

#include <exception>
#include <mutex>
#include <stdexcept>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

/// Takes a lock and gives it back when it is destroyed, which is a step each.
class LocksWhenDestroyed {
 public:
  LocksWhenDestroyed(mutex& m, int& count) : mutex_(m), count_(count) {}
  ~LocksWhenDestroyed() {
    const std::lock_guard guard(mutex_);
    ++count_;
  }
  LocksWhenDestroyed(const LocksWhenDestroyed&) = delete;
  LocksWhenDestroyed& operator=(const LocksWhenDestroyed&) = delete;

 private:
  mutex& mutex_;
  int& count_;
};

TEST(Destructors, MayLockWhileAnExceptionUnwindsTheirThread) {
  const Report report = report_of(exhaustively(), [] {
    mutex m;
    int count = 0;
    const auto throws = [&] {
      try {
        const LocksWhenDestroyed object(m, count);
        throw std::runtime_error("caught below");
      } catch (const std::runtime_error&) {
        const std::lock_guard guard(m);
        ++count;
      }
    };
    in_parallel(throws, throws);
    check(count == 4);
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.classes, 6U);  // C(4, 2) orders of the critical sections
}

TEST(Destructors, MayLockWhileAFailedExecutionIsCleanedUp) {
  int count = 0;
  const Report report = report_of(exhaustively({.keep_going = true}), [&] {
    mutex m;
    atomic<int> x{0};
    const auto fails = [&] {
      const LocksWhenDestroyed object(m, count);
      x.fetch_add(1);
      check(false, "always");
    };
    in_parallel(fails, fails);
  });
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.classes, 0U);
  EXPECT_EQ(report.abandoned, 0U);
  EXPECT_GE(count, static_cast<int>(report.executions));
}

TEST(Exceptions, BelongToTheThreadThatHandlesThem) {
  const Report report = report_of(exhaustively(), [] {
    atomic<int> x{0};
    const auto handles = [&](int number) {
      try {
        x.fetch_add(1);
        throw number;
      } catch (int) {
        check(std::uncaught_exceptions() == 0);
        x.fetch_add(1);
        try {
          try {
            x.fetch_add(1);
            throw;
          } catch (int again) {
            x.fetch_add(1);
            check(again == number, "another thread's exception");
            throw number * 10;
          }
        } catch (int inner) {
          check(inner == number * 10, "another thread's exception");
        }
        try {
          std::rethrow_exception(std::current_exception());
        } catch (int outer) {
          check(outer == number, "another thread's exception");
        }
      }
      check(std::current_exception() == nullptr);
    };
    in_parallel([&] { handles(1); }, [&] { handles(2); });
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.executions, 70U);  // C(8, 4)
}

TEST(Exceptions, InFlightAreCountedForTheirThreadOnly) {
  struct CountsInFlight {
    atomic<int>& x;
    int expected;
    ~CountsInFlight() {
      x.fetch_add(1);
      check(std::uncaught_exceptions() == expected, "counts another thread's exception");
    }
  };
  expect_to_pass([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          try {
            const CountsInFlight in_flight{x, 1};
            throw 1;
          } catch (int) {
          }
        },
        [&] {
          const CountsInFlight none{x, 0};
        });
  });
}

}  // namespace

}  // namespace hocket::test
