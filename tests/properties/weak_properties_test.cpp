// What searches find in programs about the memory model, checked against a machine with weak memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/oracle/programs/counterexample.hpp"
#include "tests/oracle/programs/expect_none.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/oracle/weak_claims.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::memory_model {

namespace {

using oracle::Counterexample;
using oracle::Generator;
using oracle::lived_program;
using oracle::mixed_program;
using oracle::seq_cst_program;

/// Returns the share of programs with a data race, in percent.
std::uint64_t check(const Generator& generator, std::vector<WeakClaim> claims) {
  WeakChecker checker(std::move(claims));
  test::RandomTries tries(1, 2);
  oracle::expect_none(
      tries, generator, [&](const Program& program) { return checker.contradiction(program); });
  std::cout << checker.to_text();
  if (tries.are_many()) {
    EXPECT_GE(checker.programs(), tries.tried() * 3 / 4);
  }
  return checker.racing() * 100 / checker.programs();
}

TEST(WeakProperties, SearchesWithoutStaleChoicesFindWhatIsSequentiallyConsistent) {
  check(mixed_program, claims_of_sequential_consistency());
  check(seq_cst_program, claims_of_sequential_consistency());
}

TEST(WeakProperties, SearchesUnderTheMemoryModelFindWhatItAllows) {
  check(mixed_program, claims_of_the_memory_model());
  check(seq_cst_program, claims_of_the_memory_model());
}

// Constructions and destructions are plain accesses. Programs of both sorts.
TEST(WeakProperties, LivesOfObjectsRaceWithUsesIfNothingOrdersThem) {
  for (const auto& claims : {claims_of_sequential_consistency(), claims_of_the_memory_model()}) {
    const std::uint64_t racing = check(lived_program, claims);
    EXPECT_GE(racing, 25U);
    EXPECT_LE(racing, 75U);
  }
}

// A claim that a strategy does not keep is contradicted, each by what it is about.
TEST(WeakProperties, AClaimTooManyIsContradicted) {
  WeakClaim weak = claims_of_sequential_consistency().at(0);
  weak.has_stale_choices = true;
  WeakClaim unpriced = claims_of_sequential_consistency().at(2);
  unpriced.has_bounds = true;
  WeakClaim otherwise_priced = claims_of_sequential_consistency().at(0);
  otherwise_priced.options.strategy = "delay";
  const std::vector<std::pair<WeakClaim, std::string_view>> rows{
      {weak, "icb, with bound 1: it counts "},
      {unpriced, "dfs, with bound 0: it counts "},
      {otherwise_priced, "icb, with bound 0: it counts "},
  };
  for (const auto& [claim, complaint] : rows) {
    WeakChecker checker({claim});
    std::uint64_t seed = 1;
    const std::optional<Counterexample> found = first_counterexample(
        seq_cst_program, seed, 100, [&](const Program& program) { return checker.contradiction(program); });
    ASSERT_TRUE(found) << complaint;
    EXPECT_EQ(found->contradiction.substr(0, complaint.size()), complaint);
  }
}

}  // namespace

}  // namespace hocket::memory_model
