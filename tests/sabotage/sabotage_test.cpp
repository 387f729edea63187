// The property tests can fail: each fault that is put into the library makes them find a counterexample.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "runtime/terms/sabotage.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/programs/generator.hpp"
#include "tests/oracle/programs/notation.hpp"
#include "tests/oracle/race_claims.hpp"
#include "tests/oracle/weak_claims.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::oracle {

namespace {

using runtime::Sabotage;
using enum runtime::Sabotage;

// Within so many programs each fault must be noticed.
constexpr std::uint64_t kPrograms = 200;
constexpr std::uint64_t kDensePrograms = 1500;

/// Turns a fault on for the length of a scope.
class With {
 public:
  explicit With(Sabotage fault) { runtime::sabotage = fault; }
  ~With() { runtime::sabotage = Sabotage::none; }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
};

/// The searches that have to notice a fault: those of all claims, of the race detector, or of one claim.
constexpr std::string_view kAll = "all";
constexpr std::string_view kRaces = "races";
constexpr std::string_view kShards = "icb, in five shards";

/// For one strategy, or one setting of it, with programs in which reductions have much to lose.
std::optional<Counterexample> first_counterexample(std::string_view claim) {
  if (claim == kRaces) {
    constexpr std::uint64_t kRacePrograms = 300;
    RaceChecker checker;
    std::uint64_t seed = 1;
    return first_counterexample(program_with_plain_data, seed, kRacePrograms,
        [&](const Program& program) { return checker.contradiction(program); });
  }
  const bool is_dense = claim != kAll && claim != kShards;
  Fuzzing fuzzing;
  if (is_dense) fuzzing.generator = dense_program;
  Checker checker(claim == kAll ? claims() : claims_of(claim));
  return fuzzing.run(is_dense ? kDensePrograms : kPrograms,
      [&](const Program& program, const Answer& answer) { return checker.contradiction(program, answer); });
}

struct Fault {
  const char* name;
  Sabotage sabotage;
  std::string_view claim;  ///< whose searches have to notice it
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class Sabotaged : public ::testing::TestWithParam<Fault> {};

TEST_P(Sabotaged, IsNoticed) {
  const With fault(GetParam().sabotage);
  const std::optional<Counterexample> found = first_counterexample(GetParam().claim);
  ASSERT_TRUE(found);
  std::cout << found->to_text();
}

constexpr Fault kFaults[] = {
    {"RuntimeWithoutVersions", no_versions, kAll},
    {"RuntimeWithoutVersionsOfReads", no_versions_of_reads, kAll},
    {"RuntimeWithoutOutcomes", no_outcomes, kAll},
    {"RuntimeWithObjectsNamedByCreation", objects_named_by_creation, kAll},
    {"RuntimeWithGuardsThatMakeNoStates", guards_make_no_states, kAll},
    {"RuntimeWithAwaitsThatSeeTheLastVersions", awaits_see_last_versions, kAll},
    {"RuntimeWithExpiriesThatNeedTheMutex", expiry_needs_the_mutex, kAll},
    {"IcbPorWithContextsThatAreFirstSteps", contexts_are_first_steps, "icb-por"},
    {"IcbPorWithBlockingThatWakesNoSleeper", blocking_wakes_no_sleeper, "icb-por"},
    {"IcbPorWithExpiriesThatAreTooDearToAwait", dear_expiries_are_not_awaited, "icb-por"},
    {"IcbPorWithYieldsThatAreTooDearToAwait", dear_yields_are_not_awaited, "icb-por"},
    {"IcbPorWithStepsThatEndAtValues", steps_end_at_values, "icb-por"},
    {"IcbPorWithGuardsThatBeginUnseen", guards_begin_unseen, "icb-por"},
    {"IcbPorWithoutThreadsThatChooseBeforeTheirFirstStep", only_the_stepping_thread_moves, "icb-por"},
    {"IcbPorWithoutTheCreatorsOfThreadsThatChoose", only_the_chooser_moves_too, "icb-por"},
    {"IcbPorWithJoinsThatEndNoThread", only_the_stepping_thread_ends, "icb-por"},
    {"IcbPorWithFutileYieldsThatConflictWithNothing", futile_yields_conflict_with_nothing, "icb-por"},
    {"IcbPorWithSleepsThatConflictWithNothing", sleeps_conflict_with_nothing, "icb-por"},
    {"IcbPorWithConflictsThatWakeNoSleeper", conflicts_wake_no_sleeper, "icb-por"},
    {"IcbPorWithLateThreadsThatAreNotReached", late_threads_are_not_reached, "icb-por"},
    {"IcbPorWithBlockedThreadsThatAwaitNothing", blocked_threads_await_nothing, "icb-por"},
    {"IcbPorWithDeadlocksThatAwaitNothing", deadlocks_await_nothing, "icb-por"},
    {"DporWithStepsThatEndAtValues", steps_end_at_values, "dpor"},
    {"DporWithGuardsThatBeginUnseen", guards_begin_unseen, "dpor"},
    {"DporWithoutThreadsThatChooseBeforeTheirFirstStep", only_the_stepping_thread_moves, "dpor"},
    {"DporWithoutTheCreatorsOfThreadsThatChoose", only_the_chooser_moves_too, "dpor"},
    {"DporWithJoinsThatEndNoThread", only_the_stepping_thread_ends, "dpor"},
    {"DporWithJoinsThatReadNothing", joins_read_nothing, "dpor"},
    {"DporWithSleepsThatConflictWithNothing", sleeps_conflict_with_nothing, "dpor"},
    {"DporWithConflictsThatWakeNoSleeper", conflicts_wake_no_sleeper, "dpor"},
    {"DporWithLateThreadsThatAreNotReached", late_threads_are_not_reached, "dpor"},
    {"DporWithBlockedThreadsThatAwaitNothing", blocked_threads_await_nothing, "dpor"},
    {"DporWithDeadlocksThatAwaitNothing", deadlocks_await_nothing, "dpor"},
    {"HbCacheWithoutTheLastThread", no_last_thread_in_cache_key, "hb-cache"},
    {"HbCacheWithEqualPricesThatCover", equal_prices_cover, "hb-cache"},
    {"HbCacheWithValuesThatMakeStates", values_make_states, "hb-cache"},
    {"HbCacheWithoutVersionsOfReads", no_versions_of_reads, "hb-cache"},
    {"HbCacheWithoutOutcomes", no_outcomes, "hb-cache"},
    {"AutoWithoutTheLastThread", no_last_thread_in_cache_key, "auto, short trials"},
    {"AutoWithEqualPricesThatCover", equal_prices_cover, "auto, short trials"},
    {"AutoWithValuesThatMakeStates", values_make_states, "auto, short trials"},
    {"AutoWithContextsThatSkipABound", auto_skips_a_bound, "auto, in turns with icb-por"},
    {"AutoWithClassesThatSkipABound", auto_skips_a_bound, "auto, in turns with cb-por"},
    {"AutoWithContextsThatAreFirstSteps", contexts_are_first_steps, "auto, in turns with icb-por"},
    {"AutoWithGuardsThatMakeNoStates", guards_make_no_states, "auto, in turns with cb-por"},
    {"ShardsThatAllCountWhatAllRun", every_shard_counts_what_all_run, kShards},
    {"ShardsThatShareWork", shards_share_work, kShards},
    {"ShardsThatLeaveOutWork", shards_leave_out_work, kShards},
    {"TheRaceDetectorWithoutMemoryOrders", no_memory_orders, kRaces},
    {"TheRaceDetectorWithoutTheOrderOfUnlocks", unlock_orders_nothing, kRaces},
    {"TheRaceDetectorWithReadersThatOrderReaders", readers_order_readers, kRaces},
    {"TheRaceDetectorWithoutTheOrderOfJoins", join_orders_nothing, kRaces},
    {"TheRaceDetectorWithoutFences", fences_order_nothing, kRaces},
    {"TheRaceDetectorWithStoresThatContinueReleaseSequences", stores_continue_release_sequences, kRaces},
    {"TheRaceDetectorWithUpdatesThatEndReleaseSequences", updates_end_release_sequences, kRaces},
    {"TheRaceDetectorWithOneReaderOnly", only_the_last_read_counts, kRaces},
};
INSTANTIATE_TEST_SUITE_P(Each, Sabotaged, ::testing::ValuesIn(kFaults), test::RowName());

/// A thread is started by a thread that is itself about to wait, and chooses a value before its first step.
Program program_that_chooses_below_a_waiting_creator() {
  const std::uint8_t permits = 0;
  const std::uint8_t value = 1;
  Program program;
  program.objects = {{Kind::semaphore}, {Kind::atomic}};
  program.threads.resize(4);
  program.threads[0].code = {{Verb::start, 2}, {Verb::start, 1}};
  program.threads[1].code = {{Verb::start, 3}, {Verb::acquire, permits}, {Verb::store, value}};
  program.threads[2].code = {{Verb::store, value}};
  program.threads[3] = {1, {{Verb::choose, 0, 2}, {Verb::release, permits, 1}}};
  return program;
}

TEST(SabotagedCreatorsOfThreadsThatChoose, AreNoticedByIcbPor) {
  const Program program = program_that_chooses_below_a_waiting_creator();
  const Answer answer = enumerate(program, Fuzzing{}.most_states);
  Checker checker(claims_of("icb-por"));
  EXPECT_EQ(checker.contradiction(program, answer), std::nullopt);
  const With fault(Sabotage::only_the_chooser_moves_too);
  EXPECT_NE(checker.contradiction(program, answer), std::nullopt);
}

/// Whether a thread that waits is still in its join when its child ends decides which thread comes last then:
/// the child, which has ended, or the one that has joined it and can be preempted.
Program program_that_joins_late() {
  const std::uint8_t value = 0;
  const std::uint8_t permits = 1;
  const std::uint8_t other = 2;
  Program program;
  program.objects = {{Kind::atomic}, {Kind::semaphore}, {Kind::atomic}};
  program.threads.resize(5);
  program.threads[0].code = {{Verb::start, 1}, {Verb::start, 4}};
  program.threads[1].code = {
      {Verb::start, 2}, {Verb::acquire, permits}, {Verb::start, 3}, {Verb::join, 2}, {Verb::load, value}};
  program.threads[2] = {1, {{Verb::load, other}}};
  program.threads[3] = {1, {{Verb::store, value, 1}}};
  program.threads[4].code = {{Verb::release, permits, 1}};
  return program;
}

TEST(SabotagedJoinsThatReadNothing, AreNoticedInTheContextsOfIcbPor) {
  const Program program = program_that_joins_late();
  const Answer answer = enumerate(program, Fuzzing{}.most_states);
  Checker checker(claims_of("icb-por"));
  EXPECT_EQ(checker.contradiction(program, answer), std::nullopt);
  const With fault(Sabotage::joins_read_nothing);
  EXPECT_NE(checker.contradiction(program, answer), std::nullopt);
}

TEST(NotSabotaged, NothingIsNoticed) {
  std::optional<Counterexample> found = first_counterexample(kAll);
  EXPECT_FALSE(found) << found->to_text();
  found = first_counterexample(kRaces);
  EXPECT_FALSE(found) << found->to_text();
}

/// A fault in the C++ memory model, and the programs that have to notice it.
struct WeakFault {
  const char* name;
  Sabotage sabotage;
  Program (*generator)(std::uint64_t seed);
  std::uint64_t programs;
};

void PrintTo(const WeakFault& fault, std::ostream* out) {
  *out << fault.name;
}

class SabotagedMemoryModel : public ::testing::TestWithParam<WeakFault> {};

TEST_P(SabotagedMemoryModel, IsNoticed) {
  const With fault(GetParam().sabotage);
  std::vector<memory_model::WeakClaim> claims = memory_model::claims_of_the_memory_model();
  claims.resize(1);
  memory_model::WeakChecker checker(std::move(claims));
  std::uint64_t seed = 1;
  const auto found = first_counterexample(GetParam().generator, seed, GetParam().programs,
      [&](const Program& program) { return checker.contradiction(program); });
  ASSERT_TRUE(found);
  std::cout << found->to_text();
}

const WeakFault kWeakFaults[] = {
    {"WithConstructionsThatAreNoWrites", constructions_are_no_writes, lived_program, 100},
    {"WithDestructionsThatAreNoWrites", destructions_are_no_writes, lived_program, 100},
    {"WithDestructionsThatLookAtOneUser", destruction_looks_at_one_user, lived_program, 100},
    {"WithReadersThatKnowNothing", readers_know_nothing, mixed_program, 100},
    {"WithUpdatesThatAreNotAdjacent", updates_are_not_adjacent, mixed_program, 100},
    {"WithSeqCstThatOrdersNothing", seq_cst_orders_nothing, seq_cst_program, 100},
    {"WithSeqCstFencesThatOrderNothing", seq_cst_fences_order_nothing, seq_cst_program, 200},
    {"WithSeqCstReadsOfTheNewest", seq_cst_reads_the_newest, seq_cst_program, 200},
    {"WithNotificationsThatStore", notifications_are_stores, mixed_program, 100},
    {"WithPlainReadsThatForgetTheHistory", plain_reads_forget_history,
        [](std::uint64_t /*seed*/) {
          return parse("x = 1 rlx; r0 = x na; y = 1 rlx || r1 = y rlx; r2 = x rlx");
        },
        1},
};
INSTANTIATE_TEST_SUITE_P(Each, SabotagedMemoryModel, ::testing::ValuesIn(kWeakFaults), test::RowName());

}  // namespace

}  // namespace hocket::oracle
