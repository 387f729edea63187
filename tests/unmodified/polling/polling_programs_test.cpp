// Loops that poll: random programs of such loops, whose outcomes and prices are those of a brute force that
// knows nothing of waiting: it goes round each loop as often as there are new states.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/random_tries.hpp"
#include "tests/unmodified/polling/parking_program.hpp"
#include "tests/unmodified/polling/polling_brute_force.hpp"
#include "tests/unmodified/polling/polling_program.hpp"
#include "tests/unmodified/polling/polling_searches.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::polling {

namespace {

/// What came of random programs under all strategies.
struct Tally {
  std::size_t checked = 0;   ///< programs; the others have too many states
  std::size_t complete = 0;  ///< searches that have come to their ends
  std::size_t stuck = 0;     ///< programs that may get stuck
  std::size_t misused = 0;   ///< programs that may use what was destroyed
};

/// Compares all strategies with the brute force for programs that `write` makes from random numbers.
Tally compare_all(
    std::uint32_t seed, std::size_t most_states, const std::function<Polling(std::mt19937&)>& write) {
  hocket::test::RandomTries tries(seed, 2);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  Tally result;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const Polling program = write(random);
    const std::optional<Answer> answer = answer_of(program, most_states);
    if (!answer) continue;
    ++result.checked;
    result.stuck += answer->may_get_stuck ? 1 : 0;
    result.misused += answer->misuse ? 1 : 0;
    const auto compared = compare(program, *answer);
    EXPECT_EQ(compared.contradiction, "");
    result.complete += compared.complete;
  }
  if (!tries.are_some()) return result;
  EXPECT_GT(result.checked, tries.tried() / 2);
  EXPECT_GT(result.complete, result.checked * std::size(kSearches) * 2 / 3);
  return result;
}

void expect_that_some_get_stuck(const Tally& tally) {
  constexpr std::size_t kSome = 8;  // builds that are slow have checked fewer
  if (tally.checked < kSome) return;
  EXPECT_GT(tally.stuck, tally.checked / 20);
  EXPECT_LT(tally.stuck, tally.checked - tally.checked / 20);
}

TEST(RandomProgramsThatPoll, HaveAllOutcomesAtTheirPricesUnderEveryStrategy) {
  expect_that_some_get_stuck(
      compare_all(20080607, 2'000, [](std::mt19937& random) { return Writer(random).program(); }));
}

TEST(RandomProgramsThatPoll, HaveAllOutcomesWithLocksOfAllKindsAndOverlappingAtomics) {
  expect_that_some_get_stuck(compare_all(
      20260101, 2'000, [](std::mt19937& random) { return Writer(random).program_of_all_kinds(); }));
}

TEST(RandomProgramsThatLockSeveralMutexes, HaveAllOutcomesUnderEveryStrategy) {
  compare_all(
      19650917, 2'000, [](std::mt19937& random) { return Writer(random).program_with_standard_locks(); });
}

TEST(RandomProgramsThatPark, HaveAllOutcomesAtTheirPricesUnderEveryStrategy) {
  const Tally tally =
      compare_all(19850125, 5'000, [](std::mt19937& random) { return ParkingWriter(random).program(); });
  expect_that_some_get_stuck(tally);
  constexpr std::size_t kMany = 20;  // builds that are slow have checked fewer
  if (tally.checked < kMany) return;
  EXPECT_GT(tally.misused, tally.checked / 100);
}

/// The brute force is right about real threads, too: they show nothing that it has not.
void expect_no_other_outcomes_on_threads_of_the_system(
    std::uint32_t seed, const std::function<Polling(std::mt19937&)>& write) {
  constexpr std::size_t kMostStates = 20'000;
  constexpr unsigned kRuns = 30;
  hocket::test::RandomTries tries(seed, 0.5);
  std::mt19937 random(static_cast<std::uint32_t>(tries.seed()));
  std::size_t seen = 0;
  while (!testing::Test::HasFailure() && tries.goes_on()) {
    const Polling program = write(random);
    const std::optional<Answer> answer = answer_of(program, kMostStates);
    if (!answer || answer->may_get_stuck || answer->misuse) continue;
    std::set<std::uint64_t> outcomes;
    for (unsigned r = 0; r < kRuns; ++r) outcomes.insert(hash(run(program)));
    for (const std::uint64_t outcome : outcomes)
      EXPECT_TRUE(answer->outcomes.contains(outcome)) << program.text();
    seen += outcomes.size();
  }
  EXPECT_GE(seen, tries.tried() / 10);
}

TEST(RandomProgramsThatPoll, HaveNoOtherOutcomesOnThreadsOfTheSystem) {
  expect_no_other_outcomes_on_threads_of_the_system(
      19680821, [](std::mt19937& random) { return Writer(random).program(); });
  expect_no_other_outcomes_on_threads_of_the_system(
      19680822, [](std::mt19937& random) { return Writer(random).program_of_all_kinds(); });
}

TEST(RandomProgramsThatPark, HaveNoOtherOutcomesOnThreadsOfTheSystem) {
  expect_no_other_outcomes_on_threads_of_the_system(
      19891109, [](std::mt19937& random) { return ParkingWriter(random).program(); });
}

TEST(ARoundOfPolling, ThatHasSeenAChangeDoesNotWaitForTheStateBeforeIt) {
  explored_everywhere([] {
    std::atomic<int> x{1};
    std::thread other([&] {
      for (const int value : {2, 1, 2, 1}) x.store(value);
    });
    for (;;) {
      const int first = x.load();
      const int second = x.load();
      if (first == 1 && second == 1) break;
    }
    other.join();
  });
}

TEST(ARoundOfPolling, ThatHasChangedSomethingIsNoWait) {
  explored_everywhere([] {
    std::atomic<int> x{0};
    std::thread other([&] {
      for (int n = 0; n < 3; ++n) x.store(0);
    });
    while (x.exchange(1) == 0) {
    }
    other.join();
  });
}

/// Code without hooks, as a compiler's own for a local variable that nobody else can know.
__attribute__((noinline, no_sanitize("thread"))) int counted(int* attempts) {
  return ++*attempts;
}

TEST(ARoundOfPolling, ThatCountsBesideAnAtomicInTheSameWordIsNoWait) {
  const hocket::FoundFailure failure = failure_of(
      [] {
        struct alignas(8) {
          std::atomic<int> ready{0};
          int attempts = 0;
        } both;
        std::thread other([&] { both.ready.store(1); });
        while (both.ready.load() == 0 && counted(&both.attempts) < 9) {
        }
        hocket::check(both.ready.load() != 0, "gave up");
        other.join();
      },
      exhaustively());
  EXPECT_NE(failure.message.find("gave up"), std::string::npos);
  EXPECT_EQ(failure.bound, 0U);
}

/// The predicate may be evaluated after each store, and finds the same.
template <class Atomic, class Thread>
void await_last_store() {
  Atomic x{0};
  Thread worker([&] {
    for (int n = 0; n < 5; ++n) x.store(0);
    x.store(1);
  });
  hocket::await([&] { return x.load() == 1; });
  worker.join();
}

TEST(AnAwaitOfHockets, IsNoPollOfItsPredicatesOnAtomicsOfTheStandardLibrary) {
  for (const char* const strategy : {"icb", "dfs", "cb-por", "hb-cache"}) {
    const hocket::Options options = with(strategy);
    const hocket::Report standard = explored(&await_last_store<std::atomic<int>, std::thread>, options);
    const hocket::Report own = explored(&await_last_store<hocket::atomic<int>, hocket::thread>, options);
    EXPECT_EQ(standard.verdict, hocket::Verdict::passed_exhaustively) << strategy;
    EXPECT_EQ(standard.classes, own.classes) << strategy;
    EXPECT_EQ(standard.executions, own.executions) << strategy;
  }
}

TEST(APollOfTheClock, EndsByTimeOrByWhatItAlsoLooksAt) {
  explored_everywhere([] {
    std::atomic<bool> is_ready{false};
    std::thread waiter([&] {
      const auto begin = Clock::now();
      while (!is_ready.load() && Clock::now() < begin + 2us) {
      }
      is_ready.wait(false);
    });
    is_ready = true;
    is_ready.notify_one();
    waiter.join();
  });
}

TEST(APollOfTheClock, MayBeOverWhileOthersAreStillAtWorkForOnePreemption) {
  for (const char* const strategy : {"icb", "cb-por", "hb-cache"}) {
    const hocket::Report report = hocket::explore(
        "late",
        [] {
          std::atomic<int> progress{0};
          std::thread worker([&] {
            for (int n = 1; n <= 3; ++n) progress = n;
          });
          const auto begin = Clock::now();
          while (progress.load() != 3 && Clock::now() - begin < 8us) std::this_thread::yield();
          hocket::check(Clock::now() - begin < 24us, "waited much longer than it was to");
          hocket::check(progress.load() != 1, "late");
          worker.join();
        },
        with(strategy, 2));
    ASSERT_EQ(report.failures.size(), 1U) << strategy << report;
    EXPECT_NE(report.failures[0].message.find("late"), std::string::npos) << report;
    EXPECT_EQ(report.failures[0].bound, 2U) << report;
  }
}

TEST(APollOfTheClock, ThatWaitsForNoTimeIsALivelockWhereNobodyElseEndsIt) {
  const hocket::FoundFailure failure = failure_of(
      [] {
        std::atomic<bool> is_ready{false};
        Clock::time_point last;
        while (!is_ready.load()) last = Clock::now();
        hocket::check(last > Clock::time_point{}, "no time");
      },
      exhaustively());
  EXPECT_EQ(failure.kind, hocket::FailureKind::livelock);
  EXPECT_NE(failure.message.find("letting time pass did not end the loop"), std::string::npos);
}

}  // namespace

}  // namespace unmodified::polling
