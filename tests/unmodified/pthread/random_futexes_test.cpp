// Random programs of threads that make futex system calls have the outcomes and deadlocks that futex(2) lets
// them have, under every strategy.
#include <gtest/gtest.h>

#include <random>

#include "tests/unmodified/pthread/futex_programs.hpp"

namespace unmodified::futexes {

namespace {

TEST(RandomProgramsOfFutexCalls, HaveAllOutcomesAndDeadlocksUnderEveryStrategy) {
  random_calls::try_random_programs(20261127, true, [](std::mt19937& random) {
    const Program program = random_program(random);
    const Answer answer = BruteForce(program).run();
    EXPECT_EQ(contradiction(program, answer), "");
    return !answer.deadlocks.empty();
  });
}

}  // namespace

}  // namespace unmodified::futexes
