// What strategies claim, checked against the brute force for thousands of random programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/oracle/fair_programs.hpp"
#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/programs/expect_none.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

// The faults of tests/sabotage show within 200 programs, for which a machine of 2026 has the time.
constexpr double kTimesAsLong = 6;

void expect_no_contradiction(Fuzzing& fuzzing, Checker& checker) {
  test::RandomTries tries(1, kTimesAsLong);
  fuzzing.seed = tries.seed();
  const auto property = [&](const Program& program, const Answer& answer) {
    return checker.contradiction(program, answer);
  };
  expect_none(tries, [&] { return fuzzing.run(1, property); });
  std::cout << fuzzing.census.to_text() << checker.to_text();
}

TEST(OracleProperties, EveryStrategyKeepsWhatItClaims) {
  Fuzzing fuzzing;
  Checker checker(claims());
  expect_no_contradiction(fuzzing, checker);
}

// Without the strategies that reduce nothing.
TEST(OracleProperties, EveryReductionKeepsWhatItClaimsOfDensePrograms) {
  Fuzzing fuzzing{.generator = dense_program};
  std::vector<Claim> reductions;
  for (const char* strategy : {"auto", "hb-cache", "icb-por", "cb-por", "dpor"}) {
    for (Claim& claim : claims_of(strategy)) reductions.push_back(std::move(claim));
  }
  Checker checker(std::move(reductions));
  expect_no_contradiction(fuzzing, checker);
}

TEST(OracleProperties, EveryStrategyThatCanBeSealedRunsAllThatSealsLeave) {
  Fuzzing fuzzing{.generator = sealed_program};
  Checker checker(sealed_claims());
  expect_no_contradiction(fuzzing, checker);
}

TEST(OracleProperties, SealsAndFairnessGoTogether) {
  test::RandomTries tries;
  Fuzzing fuzzing{.generator = sealed_program, .seed = tries.seed()};
  std::vector<Claim> both = fair_claims();
  for (Claim& claim : both) claim.options.seal = "as the program says";
  Checker checker(std::move(both));
  const auto property = [&](const Program& program, const Answer&) -> std::optional<std::string> {
    Program fair = yielding(program);
    fair.is_fair = true;
    const Answer answer = enumerate(fair, fuzzing.most_states);
    if (answer.is_incomplete) return {};
    return checker.contradiction(fair, answer);
  };
  expect_none(tries, [&] { return fuzzing.run(1, property); });
  std::cout << checker.to_text();
}

TEST(RandomPrograms, ClassesAndBoundsDoNotDependOnTheOrderInWhichThreadsAreStarted) {
  test::RandomTries tries;
  Fuzzing fuzzing;
  fuzzing.seed = tries.seed();
  Checker checker(claims_of("icb"));
  const auto property = [&](const Program& program, const Answer& answer) {
    return checker.contradiction_in_other_orders(program, answer);
  };
  expect_none(tries, [&] { return fuzzing.run(1, property); });
}

TEST(RandomPrograms, AreTriedOnProgramsOfEverySort) {
  Fuzzing fuzzing;
  fuzzing.run(1250, [](const Program&, const Answer&) { return std::nullopt; });
  const Census& census = fuzzing.census;
  EXPECT_GE(census.of_three_threads_or_more(), 0.5) << census.to_text();
  EXPECT_GE(census.with_a_deadlock(), 0.25) << census.to_text();
  EXPECT_LE(census.with_a_deadlock(), 0.75) << census.to_text();
  EXPECT_GE(census.with_a_failing_check(), 0.1) << census.to_text();
  for (unsigned v = 0; v < kVerbs; ++v) {
    EXPECT_GE(census.with(static_cast<Verb>(v)), 0.1) << to_string(static_cast<Verb>(v)) << "\n"
                                                      << census.to_text();
  }
}

// A claim that a strategy does not keep is contradicted, each by what it is about.
TEST(RandomPrograms, AClaimTooManyIsContradicted) {
  Claim endless = claims_of("random").at(0);
  endless.finds_every_class = true;
  Claim unpriced = claims_of("dfs").at(0);
  unpriced.by_bounds = true;
  Claim repetitive = claims_of("icb").at(0);
  repetitive.runs_every_class_once = true;
  Claim incomplete{.name = "icb", .options = repetitive.options, .finds_every_class = true};
  incomplete.options.max_preemptions = 0;
  const std::vector<std::pair<Claim, std::string_view>> rows{
      {endless, "random: it does not come to an end"},
      {unpriced, "dfs: an execution of price 1 at bound 0"},
      {repetitive, "icb: a class is run for the second time"},
      {incomplete, "icb: of classes with bound "},
  };
  for (const auto& [claim, complaint] : rows) {
    Fuzzing fuzzing;
    Checker checker({claim});
    const std::optional<Counterexample> found = fuzzing.run(2500,
        [&](const Program& program, const Answer& answer) { return checker.contradiction(program, answer); });
    ASSERT_TRUE(found) << complaint;
    EXPECT_EQ(found->contradiction.substr(0, complaint.size()), complaint);
  }
}

}  // namespace

}  // namespace hocket::oracle
