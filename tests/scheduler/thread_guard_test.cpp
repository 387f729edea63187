// Threads that nobody controls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <system_error>
#include <thread>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;

TEST(AThreadOfTheSystem, ThatABodyStartsIsMisuse) {
  const FoundFailure failure = failure_of([] { std::thread([] {}).join(); });
  EXPECT_EQ(failure.kind, FailureKind::misuse);
  EXPECT_THAT(
      failure.message, HasSubstr("main starts a thread of the system (std::thread, pthread_create), which "
                                 "is not under control: use hocket::thread, or compile"));
  EXPECT_THAT(failure.where, HasSubstr("thread_guard_test.cpp:"));
}

TEST(AThreadOfTheSystem, IsToldOfThoughTheBodyCatchesThatItCannotBeMade) {
  const std::string message = message_of(FailureKind::misuse, [] {
    thread([] {
      try {
        std::thread([] {}).join();
      } catch (const std::system_error&) {
      }
    }).join();
  });
  EXPECT_THAT(message, HasSubstr("thread 1 starts a thread of the system"));
}

TEST(AThreadOfTheSystem, OutsideABodyIsNobodysBusiness) {
  int ran = 0;
  std::thread before([&] { ++ran; });
  explored([] { in_parallel([] {}, [] {}); });
  before.join();
  std::thread([&] { ++ran; }).join();
  EXPECT_EQ(ran, 2);
}

}  // namespace

}  // namespace hocket::test
