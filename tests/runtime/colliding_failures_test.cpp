// Failures that meet other failures: in other threads, in destructors, on the way out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

void throw_a_number() {
  throw 42;
}
void throw_an_error() {
  throw std::runtime_error("out of a destructor");
}

TEST(TheFirstFailure, CountsWhenAnotherThreadFailsToo) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          x.store(1);
          check(false, "thread 1 fails");
        },
        [&] {
          x.store(2);
          check(false, "thread 2 fails");
        });
  });
  EXPECT_EQ(failure.message, "thread 1 fails");
}

TEST(TheFirstFailure, CountsWhenAnotherFollowsInTheUnwinding) {
  struct ThrowsAtItsEnd {
    // NOLINTNEXTLINE(bugprone-exception-escape): what is tested
    ~ThrowsAtItsEnd() noexcept(false) { throw std::runtime_error("in the unwinding"); }
  };
  struct FailsAtItsEnd {
    ~FailsAtItsEnd() { check(false, "in the destructor"); }
  };
  for (int n = 0; n < 2; ++n) {  // the process has come to no harm
    const FoundFailure failure = failure_of([] {
      mutex m;
      in_parallel(
          [&] {
            const FailsAtItsEnd fails;
            const std::lock_guard guard(m);
            check(false, "the first");
          },
          [&] {
            const ThrowsAtItsEnd throws;
            const std::lock_guard guard(m);
          });
    });
    EXPECT_EQ(failure.message, "the first");
  }
}

TEST(AFailure, EndsThreadsThatHoldLocksWaitAndLockInDestructors) {
  struct LocksAtItsEnd {
    mutex& m;
    ~LocksAtItsEnd() { const std::lock_guard guard(m); }
  };
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    mutex m;
    mutex other;
    condition_variable condition;
    bool ready = false;
    in_parallel(
        [&] {
          std::unique_lock lock(m);
          condition.wait(lock, [&] { return ready; });
        },
        [&] {
          const LocksAtItsEnd locks{other};
          const std::lock_guard guard(m);
          throw std::runtime_error("while others wait");
        },
        [&] {
          const std::lock_guard guard(other);
          const std::lock_guard second(m);
          ready = true;
          condition.notify_all();
        });
  });
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_THAT(report.failures[0].message, HasSubstr("exception std::runtime_error left thread 2"));
  EXPECT_EQ(report.abandoned, 0U);
}

TEST(AnException, ThatLeavesADestructorOrMeetsAnotherEndsInTerminate) {
  struct Throws {
    ~Throws() { throw_an_error(); }  // NOLINT(bugprone-exception-escape): the point
  };
  const auto leaves_destructor = [] {
    atomic<int> x{0};
    name(x, "the counter");
    thread([&] {
      const Throws throws;
      x.store(1);
    }).join();
  };
  struct ThrowsAgain {
    // NOLINTNEXTLINE(bugprone-exception-escape): what is tested
    ~ThrowsAgain() noexcept(false) { throw std::logic_error("the second"); }
  };
  const auto meets_another = [] {
    thread([] {
      const ThrowsAgain again;
      throw std::runtime_error("the first");
    }).join();
  };
  const FoundFailure one = failure_of(leaves_destructor);
  EXPECT_EQ(to_string(one.kind), "terminate");
  EXPECT_THAT(one.message,
      HasSubstr(
          "std::terminate was called in thread 1, after an exception std::runtime_error: out of a "
          "destructor; its last operation was atomic.store on the counter at colliding_failures_test.cpp:"));
  EXPECT_THAT(one.where, HasSubstr("colliding_failures_test.cpp:"));
  const FoundFailure two = failure_of(meets_another);
  EXPECT_EQ(to_string(two.kind), "terminate");
  EXPECT_THAT(
      two.message, HasSubstr("std::terminate was called in thread 1, after an exception std::logic_error"));
}

TEST(AnException, OfAnyTypeIsNamed) {
  const FoundFailure number = failure_of([] {
    thread t([]() noexcept { throw_a_number(); });  // NOLINT(bugprone-exception-escape): the point
    t.join();
  });
  EXPECT_THAT(
      number.message, HasSubstr("std::terminate was called in thread 1, after an exception of type int"));
}

}  // namespace

}  // namespace hocket::test
