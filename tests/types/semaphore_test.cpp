// Semaphores: how many they let in.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/support/bodies.hpp"
#include "tests/support/explored.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;

TEST(ASemaphore, LetsInAsManyAsItCounts) {
  int most = 0;
  explored([&] {
    counting_semaphore<5> seats{2};
    atomic<int> x{0};
    int inside = 0;
    in_parallel_each(3, [&](unsigned) {
      seats.acquire();
      most = std::max(most, ++inside);
      check(inside <= 2);
      x.load();
      --inside;
      seats.release();
    });
    check(seats.try_acquire());
    check(seats.try_acquire_for(1s));
    check(!seats.try_acquire());
    check(!seats.try_acquire_for(1s));
    seats.release(5);
  });
  EXPECT_EQ(most, 2);
}

}  // namespace

}  // namespace hocket::test
