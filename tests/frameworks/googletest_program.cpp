// Tests as they are written without Hocket: all_tests_test.sh has Hocket search them.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

int set_up_suites = 0;
int set_up_environments = 0;

class Environment final : public ::testing::Environment {
 public:
  void SetUp() override { ++set_up_environments; }
};
[[maybe_unused]] ::testing::Environment* const environment =
    ::testing::AddGlobalTestEnvironment(new Environment);

int plain_global = 0;
std::atomic<int> shared_global{0};

class Account : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ++set_up_suites; }

  void SetUp() override { balance_ = 100; }
  void TearDown() override { EXPECT_GE(balance_.load(), 100); }

  void deposit_safely(int amount) {
    const std::lock_guard lock(mutex_);
    balance_.store(balance_.load() + amount);
  }
  void deposit_carelessly(int amount) { balance_.store(balance_.load() + amount); }

  std::mutex mutex_;
  std::atomic<int> balance_{0};
};

TEST_F(Account, KeepsDepositsUnderALock) {
  EXPECT_EQ(set_up_suites, 1);
  EXPECT_EQ(set_up_environments, 1);
  std::thread other([this] { deposit_safely(1); });
  deposit_safely(2);
  other.join();
  EXPECT_EQ(balance_.load(), 103);
}

TEST_F(Account, LosesDepositsWithoutALock) {
  std::thread other([this] { deposit_carelessly(1); });
  deposit_carelessly(2);
  other.join();
  EXPECT_EQ(balance_.load(), 103);
}

TEST(Globals, AreAsTheyWereBeforeEachExecution) {
  EXPECT_EQ(plain_global, 0);
  EXPECT_EQ(shared_global.load(), 0);
  plain_global = 1;
  std::thread other([] { ++shared_global; });
  ++shared_global;
  other.join();
  EXPECT_EQ(shared_global.load(), 2);
}

std::mutex lock_of_tasks;
std::condition_variable has_tasks;
int tasks = 0;

TEST(Worker, LivesAsLongAsTheProcess) {
  std::thread([] {
    for (std::unique_lock held(lock_of_tasks);; --tasks) has_tasks.wait(held, [] { return tasks != 0; });
  }).detach();
  const std::lock_guard held(lock_of_tasks);
  ++tasks;
  has_tasks.notify_one();
}

TEST(Alone, Adds) {
  EXPECT_EQ(1 + 1, 2);
}

TEST(Alone, AsksWhetherItHasFailed) {
  ASSERT_NO_FATAL_FAILURE(EXPECT_EQ(1, 1));
  EXPECT_FALSE(HasFailure());
}

TEST(Alone, FailsToAdd) {
  SCOPED_TRACE("in the sum");
  EXPECT_EQ(1 + 1, 3);
}

TEST(Alone, Throws) {
  throw std::runtime_error("out of numbers");
}

TEST(Alone, IsSkipped) {
  GTEST_SKIP() << "not on this machine";
}

TEST(Alone, DiesDeathTest) {
  EXPECT_DEATH(std::abort(), "");
}

class Unready : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(data_, nullptr) << "no data"; }
  std::unique_ptr<int> data_;
};

TEST_F(Unready, IsNotRunWithoutItsFixture) {
  *data_ = 1;  // there is none
}

TEST(Crash, InSomeSchedules) {
  std::atomic<bool> is_ready{false};
  std::thread other([&] { is_ready = true; });
  volatile int* volatile nowhere = nullptr;
  if (!is_ready) *nowhere = 1;
  other.join();
}

TEST(Crash, ByExit) {
  std::exit(0);
}

TEST(Computation, TakesLong) {
  std::thread other([] {
    for (;;) asm volatile("");  // Clang's hooks tell of a volatile variable
  });
  other.join();
}

class Sums : public ::testing::TestWithParam<int> {};

TEST_P(Sums, AreTheSameInEachOrder) {
  std::atomic<int> sum{0};
  std::thread other([&] { sum += GetParam(); });
  sum += 1;
  other.join();
  EXPECT_EQ(sum.load(), GetParam() + 1);
}

INSTANTIATE_TEST_SUITE_P(Small, Sums, ::testing::Values(1, 2));

template <typename Number>
class Numbers : public ::testing::Test {};
using Kinds = ::testing::Types<int, long>;
TYPED_TEST_SUITE(Numbers, Kinds);

TYPED_TEST(Numbers, AreAddedAtOnce) {
  std::atomic<TypeParam> number{0};
  std::thread other([&] { number += 1; });
  number += 1;
  other.join();
  EXPECT_EQ(number.load(), TypeParam(2));
}

TEST(Stress, LosesNothingInManyRounds) {
  constexpr int kRounds = 10'000;
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) ++count;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count.load(), 4 * kRounds);
}

TEST(Stress, RunsTooLong) {
  std::atomic<int> count{0};
  std::thread other([&] {
    for (int round = 0; round < 2'000'000; ++round) ++count;
  });
  other.join();
  EXPECT_EQ(count.load(), 2'000'000);
}

}  // namespace
