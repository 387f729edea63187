// Two threads increment a counter; under every schedule neither of the two increments is lost.
#include <gtest/gtest.h>
#include <hocket/gtest.hpp>
#include <hocket/hocket.hpp>

HOCKET_TEST(Counter, LosesNoIncrement) {
  hocket::atomic<int> x{0};
  hocket::thread a([&] { x.fetch_add(1); });
  hocket::thread b([&] { x.fetch_add(1); });
  a.join();
  b.join();
  EXPECT_EQ(x.load(), 2);
}
