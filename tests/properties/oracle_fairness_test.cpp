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
#include "tests/support/effort.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kFairPrograms = test::part_of(1600);
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
void check_programs(std::uint64_t first_seed, std::uint64_t most, Program (*make)(const Program&),
    bool (*is_interesting)(const FairAnswers&)) {
  Fuzzing fuzzing;
  fuzzing.seed = first_seed;
  Checker checker(fair_claims());
  std::uint64_t programs = 0;
  std::uint64_t interesting = 0;
  const std::optional<Counterexample> found =
      fuzzing.run(most, [&](const Program& made, const Answer&) -> std::optional<std::string> {
        const Program program = make(made);
        const std::optional<FairAnswers> answers = fair_answers(program, kMostStatesOfFair);
        if (!answers) return {};
        ++programs;
        interesting += is_interesting(*answers) ? 1 : 0;
        return contradiction_about_fairness(checker, program, *answers);
      });
  std::cout << programs << " programs, of which fairness has an effect on " << interesting << "\n"
            << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  EXPECT_GT(interesting, programs / 20);
}

TEST(FairSearches, MeetEveryClassThereIsAtThePriceOfItsFairestSchedule) {
  check_programs(
      1, kFairPrograms, [](const Program& made) { return yielding(made); }, makes_dearer);
}

TEST(FairSearches, LetTimePassWhenEverybodyHasGivenWayOrNot) {
  // Such programs take three times as long.
  constexpr std::uint64_t kMost = test::kRunsAllTests ? kFairPrograms : 100;
  check_programs(
      1 + kFairPrograms, kMost, [](const Program& made) { return sleeping(yielding(made)); }, makes_new);
}

}  // namespace

}  // namespace hocket::oracle
