// What programs cost on the machine: by hand, in programs of a few lines.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/oracle/memory_model/agreement.hpp"
#include "tests/oracle/memory_model/bounded_search.hpp"
#include "tests/oracle/memory_model/enumeration.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/oracle/programs/notation.hpp"

namespace hocket::memory_model {

namespace {

using oracle::parse;

/// The least prices of outcomes that have all these values, such as "0+1 2+0": preemptions + stale choices.
std::string prices_of(std::string_view program, std::string_view values) {
  const BoundedSearch search(parse(program));
  const PricedBehaviours& found = search.at({});
  EXPECT_FALSE(found.has_race() || found.is_incomplete) << program;
  Prices prices;
  for (const auto& [outcome, its_prices] : found.outcomes) {
    Behaviours one;
    one.outcomes.insert(outcome);
    if (shows(one, values)) prices.add(its_prices, {});
  }
  std::vector<Price> all = prices.all();
  std::sort(all.begin(), all.end());
  std::string text;
  for (const Price& price : all) {
    text += (text.empty() ? "" : " ") + std::to_string(price.preemptions) + "+" + std::to_string(price.stale);
  }
  return text;
}

std::vector<std::size_t> graphs_by_bound(std::string_view program, unsigned last_bound) {
  const BoundedSearch search(parse(program));
  std::vector<std::size_t> result;
  for (unsigned total = 0; total <= last_bound; ++total) {
    const Bound bound{.total = total};
    result.push_back(within(search.at(bound).complete, bound).size());
  }
  return result;
}

}  // namespace

TEST(Prices, OfWeakOutcomesAreStaleChoices) {
  const std::string sb = "x = 1 rlx; r0 = y rlx || y = 1 rlx; r1 = x rlx";
  EXPECT_EQ(prices_of(sb, "r0=0 r1=1"), "0+0");
  EXPECT_EQ(prices_of(sb, "r0=1 r1=1"), "1+0");
  EXPECT_EQ(prices_of(sb, "r0=0 r1=0"), "0+1");
  EXPECT_EQ(prices_of("x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = x rlx", "r0=1 r1=0"), "0+1");
  EXPECT_EQ(prices_of("x = 1 rlx || r0 = x rlx; r1 = y rlx || r2 = y rlx; r3 = x rlx || y = 1 rlx",
                "r0=1 r1=0 r2=1 r3=0"),
      "0+1");
  EXPECT_EQ(prices_of("x = 1 rlx; y = 2 rlx || y = 1 rlx; x = 2 rlx", "x=1 y=1"), "0+1");
  EXPECT_EQ(prices_of("x = 1 rlx; y = 1 rlx || y = 2 rlx; r0 = x rlx", "y=2 r0=0"), "0+1");
}

// Reading the old value and being put behind it is one choice.
TEST(Prices, OfAnOldReadModifyWriteAreOne) {
  EXPECT_EQ(prices_of("x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = add x 4 rlx", "r0=1 r1=0"), "0+1");
  EXPECT_EQ(prices_of("x = 1 rlx; y = 1 rlx || r0 = y rlx; x = 4 rlx", "r0=1 x=1"), "0+1");
  EXPECT_EQ(prices_of("x = 1 rlx; y = 1 rlx || r0 = y rlx; r1 = cas x 5 6 rlx rlx", "r0=1 r1=0"), "0+1");
}

TEST(Prices, CountSwitchesAwayFromThreadsThatCouldGoOn) {
  // Who begins is free, and so is a switch at an end.
  EXPECT_EQ(prices_of("x = 1 sc || x = 2 sc || x = 3 sc", "x=2"), "0+0");
  EXPECT_EQ(prices_of("x = 1 sc; x = 3 sc || r0 = x sc", "r0=1"), "1+0");
  // So is one away from a thread that waits for a mutex, for a thread or for a notification.
  EXPECT_EQ(prices_of("lock m; x = 1 sc; unlock m || lock m; r0 = x sc; unlock m", "r0=1"), "0+0");
  EXPECT_EQ(prices_of("start 1; r0 = x sc; join 1; r1 = x sc || x = 1 sc; x = 2 sc", "r0=1 r1=2"), "1+0");
  EXPECT_EQ(prices_of("start 1; join 1; r1 = x sc || x = 1 sc; x = 2 sc", "r1=2"), "0+0");
  EXPECT_EQ(prices_of("r0 = wait x 0 sc || x = 1 sc; notify_one x", "r0=1"), "0+0");
  EXPECT_EQ(
      prices_of("lock m; sleep c m; r0 = x sc; unlock m || x = 1 sc; lock m; unlock m; wake_one c", "r0=1"),
      "0+0");
}

TEST(Prices, OfWeakCompareExchangesThatFailForNoReason) {
  EXPECT_EQ(prices_of("r0 = cas_weak x 0 1 sc sc", "x=0"), "1+0");
  EXPECT_EQ(prices_of("y = 2 rlx; x = 1 rlx || r0 = x rlx; r1 = cas_weak y 0 1 rlx rlx; r2 = y rlx",
                "r0=1 r1=0 r2=0"),
      "1+2");
  // It cannot succeed behind a value that another read-modify-write has taken, so failing there is no
  // surprise.
  EXPECT_EQ(prices_of("r2 = add y 2 rlx; x = 1 rlx || r0 = x rlx; r1 = cas_weak y 0 1 rlx rlx", "r0=1 r1=0"),
      "0+1");
}

// A fence, a plain access, a start and a join are parts of the step before them.
TEST(Prices, CountNoSwitchInTheMiddleOfAStep) {
  EXPECT_EQ(
      prices_of("x = 1 rlx; fence sc; r0 = y rlx || y = 1 rlx; fence sc; r1 = x rlx", "r0=1 r1=1"), "1+0");
  EXPECT_EQ(graphs_by_bound("x = 1 sc; fence sc; x = 2 sc || x = 3 sc; fence sc; x = 4 sc", 3),
      graphs_by_bound("x = 1 sc; x = 2 sc || x = 3 sc; x = 4 sc", 3));
}

// With Peterson's and Dekker's algorithms both threads are inside only if each reads what the other has
// overwritten.
TEST(Prices, OfMutualExclusionThatFails) {
  EXPECT_EQ(prices_of("x = 1 sc; r0 = y acq; skip 1 if r0 == 1; r2 = add z 1 sc"
                      " || y = 1 sc; r1 = x acq; skip 1 if r1 == 1; r3 = add z 1 sc",
                "z=2"),
      "0+1");
  EXPECT_EQ(prices_of("x = 1 sc; r0 = y sc; skip 1 if r0 == 1; r2 = add z 1 sc"
                      " || y = 1 sc; r1 = x sc; skip 1 if r1 == 1; r3 = add z 1 sc",
                "z=2"),
      "");
}

// Known without the machine: the interleavings of two times two atomic additions, each its own graph.
TEST(BoundedSearches, FindEveryGraphWithinItsBound) {
  const std::string two = "r0 = add x 1 sc; r1 = add x 1 sc";
  EXPECT_EQ(graphs_by_bound(two + " || r2 = add x 1 sc; r3 = add x 1 sc", 4),
      (std::vector<std::size_t>{2, 4, 6, 6, 6}));
  EXPECT_EQ(graphs_by_bound("x = 1 rlx; r0 = y rlx || y = 1 rlx; r1 = x rlx", 2),
      (std::vector<std::size_t>{2, 4, 4}));
}

// Where all is seq_cst, old writes are nothing but other interleavings, so a search does not look at them;
// but it does as soon as an operation within its bound asks for less.
TEST(BoundedSearches, LetSeqCstOperationsReadOldWritesOnlyBesideWeakerOnes) {
  const std::string overwritten = "x = 1 sc; x = 2 sc || r0 = x sc";
  const Bound one{.total = 1};
  const auto stale_choices = [&](const std::string& program, const Bound& bound) {
    const BoundedSearch search(parse(program));
    std::uint64_t count = 0;
    for (const auto& [graph, prices] : search.at(bound).complete) {
      for (const Price& price : prices.all()) count += price.stale;
    }
    return count;
  };
  EXPECT_EQ(stale_choices(overwritten, one), 0);
  EXPECT_GT(stale_choices(overwritten + "; z = 1 rlx", one), 0);
  EXPECT_EQ(stale_choices(overwritten + "; fence acq", one), 0);
  // Only an execution with a preemption comes to the weaker operation.
  const std::string rare = "x = 1 sc; x = 2 sc || r0 = x sc; skip 1 if r0 != 1; y = 1 rlx";
  EXPECT_EQ(stale_choices(rare, {.total = 0}), 0);
  EXPECT_GT(stale_choices(rare, one), 0);
}

// Searches leave such waits out.
TEST(Waits, GainNothingByReadingTheOldValueFromAnOlderWrite) {
  constexpr std::uint64_t kPrograms = 400;
  std::uint64_t with_waits = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const Program program = oracle::mixed_program(seed);
    const PricedBehaviours anywhere = explore(program, {}, Agreement::kMostStates);
    const PricedBehaviours newest =
        explore(program, {.waits_read_old_values_anywhere = false}, Agreement::kMostStates);
    if (anywhere.is_incomplete || newest.is_incomplete) continue;
    if (anywhere.has_race() && newest.has_race()) continue;
    with_waits += anywhere.complete.size() != newest.complete.size() ? 1 : 0;
    EXPECT_EQ(anywhere.races.all(), newest.races.all()) << to_text(program);
    ASSERT_EQ(anywhere.outcomes.size(), newest.outcomes.size()) << to_text(program);
    for (const auto& [outcome, prices] : anywhere.outcomes) {
      const auto same = newest.outcomes.find(outcome);
      ASSERT_NE(same, newest.outcomes.end()) << outcome << to_text(program);
      EXPECT_EQ(same->second.least_total(), prices.least_total()) << outcome << to_text(program);
    }
    EXPECT_EQ(anywhere.stuck.empty(), newest.stuck.empty()) << to_text(program);
  }
  EXPECT_GT(with_waits, 0U);
}

}  // namespace hocket::memory_model
