// Random programs of compiled phrases, with and without optimisation: what searches find in them is what the
// brute force finds in their meaning.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>

#include "tests/support/effort.hpp"
#include "tests/unmodified/polling/phrases.hpp"
#include "tests/unmodified/polling/polling_brute_force.hpp"
#include "tests/unmodified/polling/polling_searches.hpp"

namespace unmodified::polling {

namespace {

constexpr std::size_t kMostStatesOfPhrases = 2'000;

TEST(RandomProgramsOfPhrases, HaveAllOutcomesHoweverTheyAreCompiled) {
  const std::uint64_t all = hocket::test::part_of(40);
  std::mt19937 random(20261124);
  std::size_t checked = 0;
  std::size_t searches = 0;
  std::size_t complete = 0;
  for (std::uint64_t n = 0; n < all && !HasFailure(); ++n) {
    const PhraseProgram program = PhraseWriter(random).program();
    const std::optional<Answer> answer = BruteForce(program.meaning).run(kMostStatesOfPhrases);
    if (!answer) continue;
    ++checked;
    const Compared compared = compare(program, *answer);
    EXPECT_EQ(compared.contradiction, "");
    searches += compared.searches;
    complete += compared.complete;
  }
  EXPECT_GT(checked, all / 2);
  EXPECT_GT(complete, searches * 2 / 3);
}

/// The phrases mean what is said of them, on real threads, too.
TEST(RandomProgramsOfPhrases, HaveNoOtherOutcomesOnThreadsOfTheSystem) {
  constexpr unsigned kRuns = 10;
  const std::uint64_t all = hocket::test::part_of(300);
  std::mt19937 random(20261125);
  std::size_t seen = 0;
  for (std::uint64_t n = 0; n < all && !HasFailure(); ++n) {
    const PhraseProgram program = PhraseWriter(random).program();
    const std::optional<Answer> answer = BruteForce(program.meaning).run(kMostStatesOfPhrases);
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
  EXPECT_GT(seen, all / 10);
}

}  // namespace

}  // namespace unmodified::polling
