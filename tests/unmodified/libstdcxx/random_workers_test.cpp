// Random programs with detached threads end as a brute force says, under every strategy: with the body if
// only detached threads are left, which wait.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/libstdcxx/worker_programs.hpp"

namespace unmodified::workers {

namespace {

TEST(RandomProgramsWithDetachedThreads, EndAsABruteForceSaysUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261128, 2);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::uint64_t stuck = 0;
  std::uint64_t left = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const Program program = random_program(random);
    const Answer answer = BruteForce(program, true).run();
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

}  // namespace unmodified::workers
