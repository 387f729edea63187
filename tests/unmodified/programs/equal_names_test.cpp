// Objects of one name stay different objects where they are found in memory, too: variables of one name, and
// objects that a test has given one name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>

#include <pthread.h>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "tests/support/bodies_of_any_types.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using hocket::name;

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ASemaphoreOfTheStandardLibraryThatNobodyUsed, IsNotSaidToHaveBeenAcquiredLikeItsNamesake) {
  const FoundFailure failure =
      failure_of(hocket::test::wait_for_a_semaphore_with_a_namesake<std::counting_semaphore<4>, std::thread>);
  EXPECT_EQ(failure.kind, FailureKind::deadlock);
  EXPECT_THAT(failure.message, HasSubstr("main waits for permits #2"));
  EXPECT_THAT(failure.message, HasSubstr("its count is 0, never released"));
}

TEST(AConditionOfTheStandardLibraryThatNobodyNotified, GetsTheAdviceForThatDespiteANotifiedNamesake) {
  const std::string message = message_of(FailureKind::deadlock, [] {
    std::mutex m;
    std::array<std::condition_variable, 2> ready;
    for (std::condition_variable& one : ready) name(one, "ready");
    std::thread notifier([&] {
      const std::lock_guard guard(m);
      ready[0].notify_one();
    });
    notifier.join();
    std::unique_lock lock(m);
    ready[1].wait(lock);
  });
  EXPECT_THAT(message, HasSubstr("a notification of ready #2"));
  EXPECT_THAT(message, HasSubstr("it was never notified"));
  EXPECT_THAT(message, Not(HasSubstr("is lost")));
}

// Each block has a variable of its own. The names of the two symbols differ only in the scope.
pthread_mutex_t& gate_of_a_block(bool first) {
  if (first) {
    static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    return gate;
  }
  static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  return gate;
}

TEST(VariablesOfOneName, AreToldApart) {
  const FoundFailure failure = failure_of([] {
    pthread_mutex_lock(&gate_of_a_block(true));
    pthread_mutex_lock(&gate_of_a_block(false));
    pthread_mutex_lock(&gate_of_a_block(true));
  });
  ASSERT_GE(failure.schedule->choices.size(), 2U);
  EXPECT_NE(failure.schedule->choices[0].object, failure.schedule->choices[1].object);
  EXPECT_THAT(failure.message, Not(HasSubstr("#2")));
}

TEST(APthreadMutex, IsAnotherOneOnceItHasBeenInitialisedAnew) {
  static pthread_mutex_t gate;
  const FoundFailure failure = failure_of([] {
    for (int n = 0; n < 2; ++n) {
      pthread_mutex_init(&gate, nullptr);
      pthread_mutex_lock(&gate);
      pthread_mutex_unlock(&gate);
      pthread_mutex_destroy(&gate);
    }
    pthread_mutex_init(&gate, nullptr);
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&gate);
  });
  EXPECT_THAT(failure.message, HasSubstr("gate #3"));
}

// Its bytes, its model and accesses of other sizes are one object, which needs no number.
TEST(AVariable, IsOneObjectHoweverItIsAccessed) {
  static std::mutex gate;
  const FoundFailure failure = failure_of([] {
    std::thread user([&] { gate.lock(); });
    gate.lock();
    gate.unlock();
    user.join();
    gate.lock();
  });
  for (const auto& choice : failure.schedule->choices) EXPECT_THAT(choice.object, Not(HasSubstr("#")));
  EXPECT_THAT(failure.message, Not(HasSubstr("#")));
}

}  // namespace

}  // namespace unmodified
