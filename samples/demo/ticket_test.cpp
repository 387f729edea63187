// One ticket is left, and two clerks sell. Each looks whether one is left before it sells it.
#include <hocket/gtest.hpp>

#include <atomic>
#include <thread>

std::atomic<int> left{1};

bool sell() {
  if (left.load() == 0) return false;
  left.fetch_sub(1);
  return true;
}

HOCKET_TEST(Tickets, AreSoldOnce) {
  std::thread clerk(sell);
  sell();
  clerk.join();
  EXPECT_GE(left.load(), 0);
}
