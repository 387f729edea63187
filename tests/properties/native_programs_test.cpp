// Random programs on threads of the system: they show nothing that the abstract machine, against which every
// search is checked, does not allow.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/native_runs.hpp"
#include "tests/oracle/real_body.hpp"
#include "tests/support/effort.hpp"

namespace hocket::oracle {

namespace {

std::string to_text(const ObservationsByThread& seen) {
  std::string text;
  for (unsigned t = 0; t < kMostThreads; ++t) {
    if (seen.of(t).empty()) continue;
    text += "thread " + std::to_string(t) + ":";
    for (const Observation& observation : seen.of(t)) text += " " + std::to_string(observation.result);
    text += "\n";
  }
  return text;
}

TEST(ProgramsOnThreadsOfTheSystem, ShowNothingThatTheMachineDoesNotAllow) {
  constexpr unsigned kRuns = 30;
  constexpr std::size_t kMostStates = 100'000;
  std::uint64_t programs = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t unknown = 0;
  Fuzzing fuzzing;
  fuzzing.seed = 30'000;
  const std::uint64_t all = test::part_of(1'600);
  const std::optional<Counterexample> found =
      fuzzing.run(all, [&](const Program& generated, const Answer&) -> std::optional<std::string> {
        const Program program = for_threads_of_the_system(generated);
        const Answer answer = enumerate(program, fuzzing.most_states);
        if (answer.is_incomplete || !always_ends(program, answer)) return {};
        ++programs;
        std::set<std::string> seen;
        for (unsigned r = 0; r < kRuns; ++r) {
          NativeBody body(program);  // with outside objects as they are at first
          body.run();
          std::string text = to_text(body.notes());
          if (!seen.insert(text).second) continue;
          ++outcomes;
          const std::optional<bool> is_allowed = allows(program, body.notes(), kMostStates);
          unknown += is_allowed ? 0 : 1;
          if (is_allowed == false) return "On threads of the system:\n" + text;
        }
        return {};
      });
  EXPECT_FALSE(found) << found->to_text();
  EXPECT_GT(programs, all / 20);
  EXPECT_GT(outcomes, programs);
  EXPECT_LT(unknown, outcomes / 10);
  RecordProperty("programs", static_cast<int>(programs));
  RecordProperty("outcomes", static_cast<int>(outcomes));
}

}  // namespace

}  // namespace hocket::oracle
