// A test of code in the standard of the project. With HOCKET_DOOR_IS_CORRECT in the environment there is no
// bug.
#include <cstdlib>
#include <thread>

#include <hocket/gtest.hpp>

static_assert(
    __cplusplus / 100 == 2000 + DOOR_STANDARD || DOOR_STANDARD >= 23, "compiled in another standard");

// In plain_counter.cpp.
extern "C" void increment(int is_safe);
extern "C" int value_of_counter();

HOCKET_TEST(Door, LosesNoIncrement) {
  const int is_safe = std::getenv("HOCKET_DOOR_IS_CORRECT") != nullptr ? 1 : 0;
  std::thread other([is_safe] { increment(is_safe); });
  increment(is_safe);
  other.join();
  EXPECT_EQ(value_of_counter(), 2);
  hocket::check(value_of_counter() <= 2, "there are too many");
}
