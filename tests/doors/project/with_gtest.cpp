// With HOCKET_DOOR_IS_CORRECT in the environment there is no bug.
#include <cstdlib>

#include <hocket/gtest.hpp>

HOCKET_TEST(Door, LosesNoIncrement) {
  hocket::atomic<int> x{0};
  const auto increment = [&x, is_safe = std::getenv("HOCKET_DOOR_IS_CORRECT") != nullptr] {
    if (is_safe) {
      x.fetch_add(1);
    } else {
      x.store(x.load() + 1);
    }
  };
  hocket::thread other(increment);
  increment();
  other.join();
  EXPECT_EQ(x.load(), 2);
}
