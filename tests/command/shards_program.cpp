// Two small tests, of which merge_test.sh runs shards.
#include <hocket/gtest.hpp>

namespace {

HOCKET_TEST(Shards, OfATestThatPasses) {
  hocket::mutex lock;
  hocket::atomic<int> x{0};
  hocket::var<int> sum{0};
  const auto add = [&] {
    for (int n = 0; n < 2; ++n) {
      const int seen = x.fetch_add(1);
      const hocket::lock_guard guard(lock);
      sum = sum + seen;
    }
  };
  hocket::thread first(add);
  hocket::thread second(add);
  first.join();
  second.join();
  hocket::check(sum == 0 + 1 + 2 + 3);
}

HOCKET_TEST(Shards, OfATestThatFails) {
  hocket::atomic<int> x{0};
  const auto add = [&] { x = x + 1; };
  hocket::thread first(add);
  hocket::thread second(add);
  first.join();
  second.join();
  hocket::check(x == 2, "an increment is lost");
}

}  // namespace
