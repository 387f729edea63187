// Fair searches, checked against a brute force that schedules fairly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hocket/scheduler/strategy.hpp>

#include "tests/effort.hpp"
#include "tests/oracle/fuzzing.hpp"

namespace hocket::oracle {

namespace {

constexpr std::uint64_t kFairPrograms = test::part_of(1600);
constexpr std::size_t kMostStates = 6000;
constexpr std::size_t kLongest = 8;  ///< instructions of a thread, with its yields

/// The same program with a yield after each instruction, where that does not make it too long.
Program yielding(Program program) {
  for (Thread& thread : program.threads) {
    if (&thread == program.threads.data() || thread.code.size() * 2 > kLongest) continue;
    std::vector<Instruction> code;
    for (Instruction instruction : thread.code) {
      if (instruction.verb == Verb::skip_if)
        instruction.value = static_cast<std::int8_t>(instruction.value * 2);
      code.push_back(instruction);
      code.push_back({Verb::yield});
    }
    thread.code = std::move(code);
  }
  return program;
}

/// The same program with sleeps for most of its yields.
Program sleeping(Program program) {
  for (Thread& thread : program.threads) {
    for (std::size_t n = 0; n < thread.code.size(); ++n) {
      Instruction& instruction = thread.code[n];
      if (instruction.verb == Verb::yield && n % 3 != 0)
        instruction = {Verb::sleep, 0, static_cast<std::int8_t>(n % 3)};
    }
  }
  return program;
}

bool has_sleeps(const Program& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [](const Thread& thread) {
    return std::any_of(thread.code.begin(), thread.code.end(),
        [](const Instruction& instruction) { return instruction.verb == Verb::sleep; });
  });
}

std::uint64_t classes_of(const Answer& answer) {
  return answer.complete.size() + answer.deadlocked.size();
}

std::vector<Claim> claims_of_fair_strategies() {
  std::vector<Claim> those;
  for (Claim claim : claims()) {
    claim.options.fair = true;
    if (make_strategy(claim.options)->can_be_fair()) those.push_back(std::move(claim));
  }
  return those;
}

TEST(FairSearches, MeetEveryClassThatFairSchedulesLeadTo) {
  Fuzzing fuzzing;
  Checker checker(claims_of_fair_strategies());
  std::uint64_t programs = 0;
  std::uint64_t differ = 0;
  const std::optional<Counterexample> found =
      fuzzing.run(kFairPrograms, [&](const Program& made, const Answer&) -> std::optional<std::string> {
        Program program = yielding(made);
        const Answer unfair = enumerate(program, kMostStates);
        program.is_fair = true;
        const Answer answer = enumerate(program, kMostStates);
        if (answer.is_incomplete || unfair.is_incomplete) return {};
        ++programs;
        differ += classes_of(answer) != classes_of(unfair) ? 1 : 0;
        for (const auto& [actions, bound] : answer.complete) {
          if (has_sleeps(program)) break;  // time passes where it would not
          if (!unfair.complete.contains(actions)) return "fairness makes a class possible that was not";
        }
        return checker.contradiction(program, answer);
      });
  std::cout << programs << " programs, of which " << differ << " lose classes to fairness\n"
            << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  EXPECT_GT(differ, programs / 20);
}

TEST(FairSearches, LetTimePassWhenEverybodyHasGivenWay) {
  Fuzzing fuzzing;
  fuzzing.seed += kFairPrograms;
  Checker checker(claims_of_fair_strategies());
  std::uint64_t programs = 0;
  std::uint64_t differ = 0;
  const std::optional<Counterexample> found =
      fuzzing.run(kFairPrograms, [&](const Program& made, const Answer&) -> std::optional<std::string> {
        Program program = sleeping(yielding(made));
        program.is_fair = true;
        const Answer answer = enumerate(program, kMostStates);
        program.is_fair = false;
        const Answer unfair = enumerate(program, kMostStates);
        if (answer.is_incomplete || unfair.is_incomplete) return {};
        ++programs;
        program.is_fair = true;
        differ += std::any_of(answer.complete.begin(), answer.complete.end(),
                      [&](const auto& one) { return !unfair.complete.contains(one.first); })
                      ? 1
                      : 0;
        return checker.contradiction(program, answer);
      });
  std::cout << programs << " programs, of which " << differ << " have classes because time passes\n"
            << checker.to_text();
  EXPECT_FALSE(found) << found->to_text();
  EXPECT_GT(differ, programs / 20);
}

}  // namespace

}  // namespace hocket::oracle
