// The loop that a thread has run in the last steps of an execution, if it could go on for ever.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "runtime/diagnosis/last_steps.hpp"
#include "runtime/threads/thread.hpp"

namespace hocket::runtime {

namespace {

constexpr std::array kCode{1, 2, 3};  ///< that calls operations

/// Steps of two threads that can both run.
class Steps {
 public:
  Steps() {
    for (unsigned t = 0; t < threads_.size(); ++t) {
      threads_[t].index = static_cast<std::uint16_t>(t);
      both_.insert(t);
    }
  }
  /// `thread` calls operations from the first two places in turn, so many times each.
  Steps& rounds(unsigned thread, unsigned count) {
    for (; count != 0; --count) step(thread, 0).step(thread, 1);
    return *this;
  }
  Steps& step(unsigned thread, unsigned place) {
    threads_[thread].instrumented.caller = &kCode.at(place);
    steps_.note(threads_[thread], Operation::atomic_exchange, Mode::run, nullptr, both_, 0);
    return *this;
  }
  [[nodiscard]] RetryLoops loop() const { return steps_.retry_loop(); }

 private:
  std::array<Thread, 2> threads_;
  ThreadSet both_;
  LastSteps steps_;
};

void expect_loop_of_two(const RetryLoops& loop) {
  ASSERT_EQ(loop.size(), 2U);
  for (const unsigned place : {0U, 1U}) {
    const auto step = loop.find(&kCode.at(place));
    ASSERT_NE(step, loop.end());
    EXPECT_EQ(step->second.round, 2U);
  }
}

TEST(ALoopThatRetries, IsFoundInTheLastSteps) {
  expect_loop_of_two(Steps().rounds(0, 50).loop());
}

TEST(ALoopThatRetries, IsFoundThoughAnotherThreadHasRunAtTheEndOrBefore) {
  expect_loop_of_two(Steps().rounds(0, 50).step(1, 2).step(1, 2).loop());
  expect_loop_of_two(Steps().step(1, 2).step(1, 2).rounds(0, 50).loop());
}

TEST(ALoopThatRetries, IsNoneIfThreadsTakeTurns) {
  Steps steps;
  for (int n = 0; n < 20; ++n) steps.rounds(0, 1).step(1, 2);
  EXPECT_TRUE(steps.loop().empty());
}

}  // namespace

}  // namespace hocket::runtime
