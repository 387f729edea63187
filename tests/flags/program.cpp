// What a user's test program is: a few searches with hocket::gtest_main.
#include <hocket/gtest.hpp>

#include <cstdlib>

HOCKET_TEST(Flags, Quick) {
  hocket::thread other([] {});
  other.join();
}

HOCKET_TEST_WITH(Flags, Endless, {.strategy = "random", .max_executions = 1'000'000'000'000}) {
  hocket::thread other([] {});
  other.join();
}

HOCKET_TEST(Flags, Last) {
  hocket::thread other([] {});
  other.join();
}

/// Fails, or crashes, where the second thread comes first.
HOCKET_TEST(Flags, DiesIfAsked) {
  hocket::atomic<int> last{0};
  hocket::thread a([&] { last.store(1, hocket::memory_order_release); });
  hocket::thread b([&] { last.store(2, hocket::memory_order_release); });
  a.join();
  b.join();
  if (last.load() == 2) return;
  if (std::getenv("FLAGS_CRASH") != nullptr) std::abort();
  hocket::check(std::getenv("FLAGS_FAIL") == nullptr, "the second came first");
}
