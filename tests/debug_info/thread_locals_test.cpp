// What reports call thread_local variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "message_of.hpp"

namespace {

using ::testing::HasSubstr;

thread_local int calls_of_thread = 0;

[[gnu::noinline]] int& count_in_thread() {
  thread_local std::array<int, 3> counts{};
  return counts[1];
}

TEST(AThreadLocalVariable, IsCalledWithTheThreadWhoseItIs) {
  const std::string message = message_of([] {
    int* const calls = &calls_of_thread;
    std::thread other([calls] { *calls = 1; });
    calls_of_thread = 2;
    other.join();
  });
  EXPECT_THAT(message, HasSubstr("writes calls_of_thread of main"));
  const std::string in_function = message_of([] {
    std::atomic<int*> of_other{nullptr};
    std::thread other([&of_other] {
      of_other = &count_in_thread();
      count_in_thread() = 1;
    });
    while (of_other == nullptr) std::this_thread::yield();
    *of_other = 2;
    other.join();
  });
  EXPECT_THAT(in_function, HasSubstr("main uses counts[1] of thread 1 in count_in_thread, which is gone"));
}

}  // namespace
