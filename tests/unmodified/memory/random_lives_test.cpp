// Random programs that publish, use and delete objects of the heap fail if a brute force says that an object
// may be used before it is constructed or after it is destroyed, under every strategy.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/memory/life_programs.hpp"

namespace unmodified::lives {

namespace {

TEST(RandomProgramsThatMakeAndDeleteObjects, GoWrongAsABruteForceSaysUnderEveryStrategy) {
  hocket::test::RandomTries tries(20261129);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::uint64_t wrong = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const Program program = random_program(random);
    const Answer answer = BruteForce(program).run();
    wrong += answer.may_go_wrong ? 1 : 0;
    EXPECT_EQ(contradiction(program, answer), "");
  }
  if (!tries.are_many()) return;
  EXPECT_GT(wrong, tries.tried() / 10);
  EXPECT_LT(wrong, tries.tried() - tries.tried() / 10);
}

}  // namespace

}  // namespace unmodified::lives
