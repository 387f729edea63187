// The stacks of threads, which are as large as code expects them.
#include <array>
#include <cstddef>

#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

thread_local volatile char* volatile anywhere = nullptr;

char use_a_large_array() {
  std::array<volatile char, std::size_t{4} << 20U> large;
  anywhere = large.data();  // else a compiler keeps the two that are used
  large.front() = 1;
  large.back() = 2;
  return static_cast<char>(large.front() + large.back());
}

TEST(TheStackOfAThread, HasRoomForArraysOfMegabytes) {
  explored([] {
    in_parallel([] { check(use_a_large_array() == 3); }, [] { check(use_a_large_array() == 3); });
    check(use_a_large_array() == 3);
  });
}

TEST(TheStackOfAThreadDeathTest, ThatIsTooSmallForALargeArrayIsToldOf) {
  hocket::Options options = exhaustively();
  options.stack_size = std::size_t{1} << 20U;
  EXPECT_DEATH(hocket::explore(
                   "overflow", [] { check(use_a_large_array() == 3); }, options),
      "stack overflow in a logical thread");
}

}  // namespace

}  // namespace unmodified
