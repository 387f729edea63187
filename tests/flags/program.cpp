// What a user's test program is: a few searches with hocket::gtest_main.
#include <hocket/gtest.hpp>

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
