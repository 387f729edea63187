// Searches that go past data races, checked against a brute force for hundreds of random programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>

#include "tests/properties/past_race_claims.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

TEST(SearchesPastRaces, FindEveryRaceAndEveryFailureBehindThem) {
  PastRaceChecker checker;
  test::RandomTries tries;
  std::uint64_t seed = tries.seed();
  std::optional<Counterexample> found;
  while (!found && tries.goes_on()) found = find_contradiction_past_races(checker, seed, 1);
  std::cout << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  if (!tries.are_many()) return;
  EXPECT_GE(checker.racing(), tries.tried() / 8);
  EXPECT_GE(checker.failing_behind_races(), tries.tried() / 40);
}

}  // namespace

}  // namespace hocket::oracle
