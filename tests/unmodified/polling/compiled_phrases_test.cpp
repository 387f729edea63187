// Random programs of compiled phrases, with and without optimisation: what searches find in them is what the
// brute force finds in their meaning.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/polling/phrases.hpp"
#include "tests/unmodified/polling/polling_brute_force.hpp"
#include "tests/unmodified/polling/polling_searches.hpp"

namespace unmodified::polling {

namespace {

constexpr std::size_t kMostStatesOfPhrases = 2'000;

/// Compares searches of random programs with the brute force. `waits`: the first of the phrases that wait.
void compare_all(Say waits, std::uint64_t seed, double seconds, double least_complete) {
  hocket::test::RandomTries tries(seed, seconds);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::size_t checked = 0;
  std::size_t searches = 0;
  std::size_t complete = 0;
  while (!::testing::Test::HasFailure() && tries.goes_on()) {
    const PhraseProgram program = PhraseWriter(random, waits).program();
    const std::optional<Answer> answer = answer_of(program.meaning, kMostStatesOfPhrases);
    if (!answer) continue;
    ++checked;
    const Compared compared = compare(program, *answer);
    EXPECT_EQ(compared.contradiction, "");
    searches += compared.searches;
    complete += compared.complete;
  }
  if (!tries.are_some()) return;
  EXPECT_GT(checked, tries.tried() / 2);
  EXPECT_GT(static_cast<double>(complete), static_cast<double>(searches) * least_complete);
}

TEST(RandomProgramsOfPhrases, HaveAllOutcomesHoweverTheyAreCompiled) {
  compare_all(Say::poll, 20261124, 2, 0.5);
}

TEST(RandomProgramsOfPhrases, HaveAllOutcomesAndLivelocksWhereLoopsRetry) {
  compare_all(Say::retry_claim, 20261127, 2, 0.1);
}

/// The phrases mean what is said of them, on real threads, too.
TEST(RandomProgramsOfPhrases, HaveNoOtherOutcomesOnThreadsOfTheSystem) {
  constexpr unsigned kRuns = 10;
  hocket::test::RandomTries tries(20261125, 0.5);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::size_t seen = 0;
  while (!HasFailure() && tries.goes_on()) {
    const PhraseProgram program = PhraseWriter(random).program();
    const std::optional<Answer> answer = answer_of(program.meaning, kMostStatesOfPhrases);
    if (!answer || answer->may_get_stuck) continue;
    std::set<std::uint64_t> outcomes;
    for (unsigned r = 0; r < kRuns; ++r) {
      outcomes.insert(hash(run(program, kOptimizedPhrases)));
      outcomes.insert(hash(run(program, kUnoptimizedPhrases)));
    }
    for (const std::uint64_t outcome : outcomes)
      EXPECT_TRUE(answer->outcomes.contains(outcome)) << program.meaning.text();
    seen += outcomes.size();
  }
  EXPECT_GE(seen, tries.tried() / 10);
}

}  // namespace

}  // namespace unmodified::polling
