// Random programs that set timers of timerfd and wait for them have outcomes that a brute force says are
// possible, and all that it says are certain, under every strategy.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/libc/timer_programs.hpp"

namespace unmodified::timers {

namespace {

TEST(RandomProgramsThatSetTimers, HaveOutcomesOfABruteForceUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261201);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  while (!testing::Test::HasFailure() && tries.goes_on())
    EXPECT_EQ(contradiction(random_program(random)), "");
}

}  // namespace

}  // namespace unmodified::timers
