// Tests with threads, and no search, in a program without a word of Hocket.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

TEST(Turns, FailIfThereAreThree) {
  std::atomic<int> number{0};
  std::atomic<bool> has_seen_all{false};
  std::thread other([&] { has_seen_all = number == 0 && number == 1 && number == 2; });
  number = 1;
  number = 2;
  number = 3;
  other.join();
  EXPECT_FALSE(has_seen_all);
}

TEST(Sleeps, OrderTheThreads) {
  std::atomic<bool> is_ready{false};
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    is_ready = true;
  });
  std::this_thread::sleep_for(200ms);
  EXPECT_TRUE(is_ready);
  other.join();
}

TEST(Clerks, TakeTheSameLocks) {
  std::mutex accounts[3];
  std::vector<std::thread> clerks;
  for (int n = 0; n < 3; ++n)
    clerks.emplace_back([&, n] { const std::scoped_lock both(accounts[n], accounts[(n + 1) % 3]); });
  for (std::thread& clerk : clerks) clerk.join();
}

TEST(Crowd, HasThreeHundredThreads) {
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 300; ++n) threads.emplace_back([&] { ++count; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 300);
}

/// Of some milliseconds each, with an operation.
void compute(int rounds, std::atomic<int>& count) {
  for (int round = 0; round < rounds; ++round, ++count)
    for (int n = 0; n < 1'000'000; ++n) asm volatile("");
}

TEST(Grind, TakesLong) {
  std::atomic<int> count{0};
  std::thread other([&] { compute(100'000, count); });
  other.join();
}

TEST(Grind, TakesLongInSomeSchedules) {
  std::atomic<int> count{0};
  std::atomic<bool> is_late{false};
  std::thread other([&] {
    if (!is_late) compute(100'000, count);
  });
  is_late = true;
  other.join();
}

TEST(Race, HidesALostUpdate) {
  int plain = 0;
  std::atomic<int> count{0};
  const auto add = [&] {
    plain = 1;
    count = count + 1;
  };
  std::thread one(add);
  std::thread other(add);
  one.join();
  other.join();
  EXPECT_EQ(plain + count, 3);
}

}  // namespace
