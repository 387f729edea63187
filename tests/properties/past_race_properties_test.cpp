// Searches that go past data races, checked against a brute force for hundreds of random programs.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/oracle/programs/expect_none.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/properties/past_race_claims.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

TEST(SearchesPastRaces, FindEveryRaceAndEveryFailureBehindThem) {
  PastRaceChecker checker;
  test::RandomTries tries;
  expect_none(
      tries, program_with_plain_data, [&](const Program& program) { return checker.contradiction(program); });
  std::cout << checker.to_text();
  if (!tries.are_many()) return;
  EXPECT_GE(checker.racing(), tries.tried() / 8);
  EXPECT_GE(checker.failing_behind_races(), tries.tried() / 40);
}

}  // namespace

}  // namespace hocket::oracle
