// Data races as they are found, checked against their definition for thousands of random programs.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/oracle/programs/expect_none.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/oracle/race_claims.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

TEST(RaceProperties, EveryRaceIsFoundAndNoOther) {
  RaceChecker checker;
  test::RandomTries tries;
  expect_none(
      tries, program_with_plain_data, [&](const Program& program) { return checker.contradiction(program); });
  std::cout << checker.to_text();
  if (!tries.are_many()) return;
  // Programs of both sorts.
  EXPECT_GE(checker.racing(), tries.tried() / 4);
  EXPECT_LE(checker.racing(), tries.tried() * 3 / 4);
}

}  // namespace

}  // namespace hocket::oracle
