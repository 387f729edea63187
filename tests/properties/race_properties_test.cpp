// Data races as they are found, checked against their definition for thousands of random programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>

#include "tests/oracle/race_claims.hpp"
#include "tests/support/effort.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kRacyPrograms = test::part_of(4000);

TEST(RaceProperties, EveryRaceIsFoundAndNoOther) {
  RaceChecker checker;
  std::uint64_t seed = 1;
  const std::optional<Counterexample> found = find_contradiction_about_races(checker, seed, kRacyPrograms);
  std::cout << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  // Programs of both sorts.
  EXPECT_GE(checker.racing(), kRacyPrograms / 4);
  EXPECT_LE(checker.racing(), kRacyPrograms * 3 / 4);
}

}  // namespace

}  // namespace hocket::oracle
