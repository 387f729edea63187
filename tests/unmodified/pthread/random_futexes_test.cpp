// Random programs of threads that make futex system calls have the outcomes and deadlocks that futex(2) lets
// them have, under every strategy.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/pthread/futex_programs.hpp"

namespace unmodified::futexes {

namespace {

TEST(RandomProgramsOfFutexCalls, HaveAllOutcomesAndDeadlocksUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261127, 2);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::uint64_t stuck = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const Program program = random_program(random);
    const Answer answer = BruteForce(program).run();
    stuck += answer.deadlocks.empty() ? 0 : 1;
    EXPECT_EQ(contradiction(program, answer), "");
  }
  if (!tries.are_many()) return;
  EXPECT_GT(stuck, tries.tried() / 20);
  EXPECT_LT(stuck, tries.tried() - tries.tried() / 20);
}

}  // namespace

}  // namespace unmodified::futexes
