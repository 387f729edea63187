// Data races as they are found, checked against their definition for thousands of random programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>

#include "tests/oracle/race_claims.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

TEST(RaceProperties, EveryRaceIsFoundAndNoOther) {
  RaceChecker checker;
  test::RandomTries tries;
  std::uint64_t seed = tries.seed();
  std::optional<Counterexample> found;
  while (!found && tries.goes_on()) found = find_contradiction_about_races(checker, seed, 1);
  std::cout << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  if (!tries.are_many()) return;
  // Programs of both sorts.
  EXPECT_GE(checker.racing(), tries.tried() / 4);
  EXPECT_LE(checker.racing(), tries.tried() * 3 / 4);
}

}  // namespace

}  // namespace hocket::oracle
