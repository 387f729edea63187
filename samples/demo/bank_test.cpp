// A bank, and a test of it, with nothing of Hocket in them.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

void move(Account& from, Account& to, int amount) {
  const std::lock_guard first(from.mutex);
  const std::lock_guard second(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

TEST(Bank, MovesMoneyBothWays) {
  Account savings, household;
  std::thread other([&] { move(savings, household, 10); });
  move(household, savings, 20);
  other.join();
  EXPECT_EQ(savings.balance, 110);
}
