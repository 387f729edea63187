// Searches that go past data races, checked against a brute force for hundreds of random programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>

#include "tests/properties/past_race_claims.hpp"
#include "tests/support/effort.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kProgramsPastRaces = test::part_of(400);

TEST(SearchesPastRaces, FindEveryRaceAndEveryFailureBehindThem) {
  PastRaceChecker checker;
  std::uint64_t seed = 1;
  const std::optional<Counterexample> found =
      find_contradiction_past_races(checker, seed, kProgramsPastRaces);
  std::cout << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  EXPECT_GE(checker.racing(), kProgramsPastRaces / 8);
  EXPECT_GE(checker.failing_behind_races(), kProgramsPastRaces / 40);
}

}  // namespace

}  // namespace hocket::oracle
