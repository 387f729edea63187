// Random programs whose generators and brute forces other programs use, too: they end as the brute force
// says, under every strategy.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/libc/random_calls.hpp"
#include "tests/unmodified/libc/timer_programs.hpp"
#include "tests/unmodified/libstdcxx/worker_programs.hpp"
#include "tests/unmodified/memory/life_programs.hpp"
#include "tests/unmodified/pthread/futex_programs.hpp"

namespace unmodified {

namespace {

// What the brute force says is possible, and all that it says is certain.
TEST(RandomProgramsThatSetTimers, HaveOutcomesOfABruteForceUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261201);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  while (!testing::Test::HasFailure() && tries.goes_on())
    EXPECT_EQ(contradiction(timers::random_program(random)), "");
}

// As futex(2) lets them have.
TEST(RandomProgramsOfFutexCalls, HaveAllOutcomesAndDeadlocksUnderEveryStrategy) {
  random_calls::try_random_programs(20261127, true, [](std::mt19937& random) {
    const futexes::Program program = futexes::random_program(random);
    const futexes::Answer answer = futexes::BruteForce(program).run();
    EXPECT_EQ(contradiction(program, answer), "");
    return !answer.deadlocks.empty();
  });
}

// They fail if an object of the heap may be used before it is constructed or after it is destroyed.
TEST(RandomProgramsThatMakeAndDeleteObjects, GoWrongAsABruteForceSaysUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261129);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::uint64_t wrong = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const lives::Program program = lives::random_program(random);
    const lives::Answer answer = lives::BruteForce(program).run();
    wrong += answer.may_go_wrong ? 1 : 0;
    EXPECT_EQ(contradiction(program, answer), "");
  }
  if (!tries.are_many()) return;
  EXPECT_GT(wrong, tries.tried() / 10);
  EXPECT_LT(wrong, tries.tried() - tries.tried() / 10);
}

// With the body if only detached threads are left, which wait.
TEST(RandomProgramsWithDetachedThreads, EndAsABruteForceSaysUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261128, 2);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::uint64_t stuck = 0;
  std::uint64_t left = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const workers::Program program = workers::random_program(random);
    const workers::Answer answer = workers::BruteForce(program, true).run();
    stuck += answer.may_get_stuck ? 1 : 0;
    left += answer.left_waiting != 0 ? 1 : 0;
    EXPECT_EQ(contradiction(program, true), "");
    EXPECT_EQ(contradiction(program, false), "");
  }
  if (!tries.are_many()) return;
  EXPECT_GT(stuck, tries.tried() / 20);
  EXPECT_GT(left, tries.tried() / 20);
  EXPECT_LT(stuck + left, 2 * tries.tried() - tries.tried() / 20);
}

}  // namespace

}  // namespace unmodified
