// The property tests can fail: each fault that is put into the library makes them find a counterexample.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include <hocket/hocket.hpp>

#include "runtime/terms/sabotage.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/race_claims.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::oracle {

namespace {

using runtime::Sabotage;

constexpr std::uint64_t kPrograms = 200;  ///< within which each fault must be noticed

/// Turns a fault on for the length of a scope.
class With {
 public:
  explicit With(Sabotage fault) { runtime::sabotage = fault; }
  ~With() { runtime::sabotage = Sabotage::none; }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
};

std::optional<Counterexample> first_counterexample() {
  Fuzzing fuzzing;
  Checker checker(claims());
  return fuzzing.run(kPrograms,
      [&](const Program& program, const Answer& answer) { return checker.contradiction(program, answer); });
}

std::optional<Counterexample> first_counterexample_about_races() {
  constexpr std::uint64_t kRacePrograms = 300;
  RaceChecker checker;
  std::uint64_t seed = 1;
  return find_contradiction_about_races(checker, seed, kRacePrograms);
}

struct Fault {
  const char* name;
  Sabotage sabotage;
  std::optional<Counterexample> (*search)();  ///< that has to notice it
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class Sabotaged : public ::testing::TestWithParam<Fault> {};

TEST_P(Sabotaged, IsNoticed) {
  const With fault(GetParam().sabotage);
  const std::optional<Counterexample> found = GetParam().search();
  ASSERT_TRUE(found);
  std::cout << found->to_text();
}

INSTANTIATE_TEST_SUITE_P(Runtime, Sabotaged,
    ::testing::Values(Fault{"WithoutVersions", Sabotage::no_versions, first_counterexample},
        Fault{"WithoutVersionsOfReads", Sabotage::no_versions_of_reads, first_counterexample},
        Fault{"WithoutOutcomes", Sabotage::no_outcomes, first_counterexample},
        Fault{"WithObjectsNamedByCreation", Sabotage::objects_named_by_creation, first_counterexample},
        Fault{"WithoutTheLastThreadInTheCache", Sabotage::no_last_thread_in_cache_key, first_counterexample},
        Fault{"WithGuardsThatMakeNoStates", Sabotage::guards_make_no_states, first_counterexample},
        Fault{"WithContextsThatAreFirstSteps", Sabotage::contexts_are_first_steps, first_counterexample},
        Fault{"WithBlockingThatWakesNoSleeper", Sabotage::blocking_wakes_no_sleeper, first_counterexample},
        Fault{"WithAwaitsThatSeeTheLastVersions", Sabotage::awaits_see_last_versions, first_counterexample},
        Fault{"WithExpiriesThatNeedTheMutex", Sabotage::expiry_needs_the_mutex, first_counterexample}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(TheRaceDetector, Sabotaged,
    ::testing::Values(
        Fault{"WithoutMemoryOrders", Sabotage::no_memory_orders, first_counterexample_about_races},
        Fault{"WithoutTheOrderOfUnlocks", Sabotage::unlock_orders_nothing, first_counterexample_about_races},
        Fault{
            "WithReadersThatOrderReaders", Sabotage::readers_order_readers, first_counterexample_about_races},
        Fault{"WithoutTheOrderOfJoins", Sabotage::join_orders_nothing, first_counterexample_about_races},
        Fault{"WithoutFences", Sabotage::fences_order_nothing, first_counterexample_about_races},
        Fault{"WithStoresThatContinueReleaseSequences", Sabotage::stores_continue_release_sequences,
            first_counterexample_about_races},
        Fault{"WithUpdatesThatEndReleaseSequences", Sabotage::updates_end_release_sequences,
            first_counterexample_about_races},
        Fault{"WithOneReaderOnly", Sabotage::only_the_last_read_counts, first_counterexample_about_races}),
    test::RowName());

/// The classes with at most one preemption of a body in which a thread's second yield is free only when no
/// other thread has anything to do.
std::size_t classes_of_two_yields(const char* strategy) {
  Options options;
  options.strategy = strategy;
  options.max_preemptions = 1;
  const auto body = [] {
    atomic<int> x{0};
    shared_mutex m;
    thread locks([&] {
      m.lock_shared();
      x.store(1);
      m.unlock_shared();
    });
    thread yields([&] {
      x.store(2);
      thread reads([&] { x.load(); });
      this_thread::yield();
      this_thread::yield();
      reads.join();
    });
    m.lock_shared();
    m.unlock_shared();
    locks.join();
    yields.join();
  };
  struct Classes : ExecutionVisitor {
    std::set<std::pair<std::uint64_t, std::uint64_t>> met;
    bool ran(const runtime::ExecutionResult& result) {
      if (result.outcome == runtime::Outcome::completed) met.emplace(result.hash.low, result.hash.high);
      return true;
    }
  } classes;
  const OneSearch one_search;
  EXPECT_EQ(run_executions(*make_strategy(options), body, {}, classes), ExecutionsEnd::exhausted);
  return classes.met.size();
}

// 300 random programs do not show this one.
TEST(SabotagedPricesThatAreNotAwaited, AreNoticed) {
  const std::size_t classes = classes_of_two_yields("icb");
  EXPECT_EQ(classes_of_two_yields("icb-por"), classes);
  const With fault(Sabotage::prices_are_not_awaited);
  EXPECT_LT(classes_of_two_yields("icb-por"), classes);
}

TEST(NotSabotaged, NothingIsNoticed) {
  std::optional<Counterexample> found = first_counterexample();
  EXPECT_FALSE(found) << found->to_text();
  found = first_counterexample_about_races();
  EXPECT_FALSE(found) << found->to_text();
}

}  // namespace

}  // namespace hocket::oracle
