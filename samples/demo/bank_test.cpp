// A bank, and a test of it, with nothing of Hocket in them.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

std::mutex savings, household;

void move_money(std::mutex& from, std::mutex& to) {
  const std::lock_guard first(from);
  const std::lock_guard second(to);
}

TEST(Bank, MovesMoneyBothWays) {
  std::thread other([] { move_money(savings, household); });
  move_money(household, savings);
  other.join();
}
