// Fair searches, checked against a brute force that gives what is not fair a price, and against one that
// knows nothing of fairness.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

#include "tests/oracle/fair_programs.hpp"
#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/programs/expect_none.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

constexpr std::size_t kMostStatesOfFair = 6000;

/// Whether a class costs more when scheduling is fair.
bool makes_dearer(const FairAnswers& answers) {
  const Classes& fair = answers.fair.complete;
  return std::any_of(answers.unfair.complete.begin(), answers.unfair.complete.end(), [&](const auto& one) {
    const auto same = fair.find(one.first);
    return same != fair.end() && same->second > one.second;
  });
}

/// Whether there is a class that there is in fair searches only.
bool makes_new(const FairAnswers& answers) {
  const Classes& unfair = answers.unfair.complete;
  return std::any_of(answers.fair.complete.begin(), answers.fair.complete.end(),
      [&](const auto& one) { return !unfair.contains(one.first); });
}

/// Checks programs that `make` makes of random ones. Those with an interesting effect must be one in twenty.
void check_programs(
    std::uint64_t first_seed, Program (*make)(const Program&), bool (*is_interesting)(const FairAnswers&)) {
  test::RandomTries tries(first_seed, 2);
  Fuzzing fuzzing;
  fuzzing.seed = tries.seed();
  Checker checker(fair_claims());
  std::uint64_t programs = 0;
  std::uint64_t interesting = 0;
  const auto find = [&](const Program& made, const Answer&) -> std::optional<std::string> {
    const Program program = make(made);
    const std::optional<FairAnswers> answers = fair_answers(program, kMostStatesOfFair);
    if (!answers) return {};
    ++programs;
    interesting += is_interesting(*answers) ? 1 : 0;
    return contradiction_about_fairness(checker, program, *answers);
  };
  expect_none(tries, [&] { return fuzzing.run(1, find); });
  std::cout << programs << " programs, of which fairness has an effect on " << interesting << "\n"
            << checker.to_text();
  if (tries.are_many()) {
    EXPECT_GT(interesting, programs / 20);
  }
}

TEST(FairSearches, MeetEveryClassThereIsAtThePriceOfItsFairestSchedule) {
  check_programs(
      1, [](const Program& made) { return yielding(made); }, makes_dearer);
}

TEST(FairSearches, LetTimePassWhenEverybodyHasGivenWayOrNot) {
  check_programs(
      401, [](const Program& made) { return sleeping(yielding(made)); }, makes_new);
}

}  // namespace

}  // namespace hocket::oracle
