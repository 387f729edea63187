// Workers in a ring that take their claims back when they see their neighbour's. None lets go of its first
// claim, so that they go on for ever.
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

constexpr std::size_t kWorkers = 3;

struct Ring {
  std::array<std::atomic<int>, kWorkers> claims{};

  void enter(std::size_t self) {
    const std::size_t neighbour = (self + 1) % kWorkers;
    claims[self].fetch_add(1);
    for (;;) {
      claims[self].fetch_add(1);
      if (claims[neighbour] == 0) return;
      claims[self].fetch_sub(1);
    }
  }
};

}  // namespace

HOCKET_TEST_WITH(Failures, LivelockOfThreeThatRetry, {.max_steps = 2000}) {
  Ring ring;
  for (std::atomic<int>& claim : ring.claims) claim = 1;
  std::thread first([&] { ring.enter(0); });
  std::thread second([&] { ring.enter(1); });
  std::thread third([&] { ring.enter(2); });
  first.join();
  second.join();
  third.join();
}
