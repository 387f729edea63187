// The property tests can fail: each fault that is put into the library makes them find a counterexample.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "runtime/terms/sabotage.hpp"
#include "scheduler/strategies/executions.hpp"
#include "scheduler/strategies/strategy.hpp"

#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/generator.hpp"
#include "tests/oracle/memory_model/random_programs.hpp"
#include "tests/oracle/one_search.hpp"
#include "tests/oracle/race_claims.hpp"
#include "tests/oracle/weak_claims.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::oracle {

namespace {

using runtime::Sabotage;

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

std::optional<Counterexample> first_counterexample() {
  Fuzzing fuzzing;
  Checker checker(claims());
  return fuzzing.run(kPrograms,
      [&](const Program& program, const Answer& answer) { return checker.contradiction(program, answer); });
}

/// The same for one strategy, or one setting of it, with programs in which reductions have much to lose.
std::optional<Counterexample> first_dense_counterexample(std::string_view strategy) {
  Fuzzing fuzzing{.generator = dense_programs()};
  Checker checker(claims_of(strategy));
  return fuzzing.run(kDensePrograms,
      [&](const Program& program, const Answer& answer) { return checker.contradiction(program, answer); });
}
std::optional<Counterexample> first_counterexample_of_icb_por() {
  return first_dense_counterexample("icb-por");
}
std::optional<Counterexample> first_counterexample_of_shards() {
  Fuzzing fuzzing;
  Checker checker(claims_of("icb, in five shards"));
  return fuzzing.run(kPrograms,
      [&](const Program& program, const Answer& answer) { return checker.contradiction(program, answer); });
}
std::optional<Counterexample> first_counterexample_of_dpor() {
  return first_dense_counterexample("dpor");
}
std::optional<Counterexample> first_counterexample_of_hb_cache() {
  return first_dense_counterexample("hb-cache");
}
std::optional<Counterexample> first_counterexample_of_auto() {
  return first_dense_counterexample("auto, short trials");
}
std::optional<Counterexample> first_counterexample_of_auto_with_icb_por() {
  return first_dense_counterexample("auto, in turns with icb-por");
}
std::optional<Counterexample> first_counterexample_of_auto_with_cb_por() {
  return first_dense_counterexample("auto, in turns with cb-por");
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
        Fault{"WithGuardsThatMakeNoStates", Sabotage::guards_make_no_states, first_counterexample},
        Fault{"WithAwaitsThatSeeTheLastVersions", Sabotage::awaits_see_last_versions, first_counterexample},
        Fault{"WithExpiriesThatNeedTheMutex", Sabotage::expiry_needs_the_mutex, first_counterexample}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(IcbPor, Sabotaged,
    ::testing::Values(Fault{"WithContextsThatAreFirstSteps", Sabotage::contexts_are_first_steps,
                          first_counterexample_of_icb_por},
        Fault{"WithBlockingThatWakesNoSleeper", Sabotage::blocking_wakes_no_sleeper,
            first_counterexample_of_icb_por},
        Fault{"WithExpiriesThatAreTooDearToAwait", Sabotage::dear_expiries_are_not_awaited,
            first_counterexample_of_icb_por},
        Fault{"WithYieldsThatAreTooDearToAwait", Sabotage::dear_yields_are_not_awaited,
            first_counterexample_of_icb_por},
        Fault{"WithStepsThatEndAtValues", Sabotage::steps_end_at_values, first_counterexample_of_icb_por},
        Fault{"WithGuardsThatBeginUnseen", Sabotage::guards_begin_unseen, first_counterexample_of_icb_por},
        Fault{"WithoutThreadsThatChooseBeforeTheirFirstStep", Sabotage::only_the_stepping_thread_moves,
            first_counterexample_of_icb_por},
        Fault{"WithoutTheCreatorsOfThreadsThatChoose", Sabotage::only_the_chooser_moves_too,
            first_counterexample_of_icb_por},
        Fault{"WithJoinsThatEndNoThread", Sabotage::only_the_stepping_thread_ends,
            first_counterexample_of_icb_por},
        Fault{"WithFutileYieldsThatConflictWithNothing", Sabotage::futile_yields_conflict_with_nothing,
            first_counterexample_of_icb_por},
        Fault{"WithSleepsThatConflictWithNothing", Sabotage::sleeps_conflict_with_nothing,
            first_counterexample_of_icb_por},
        Fault{"WithConflictsThatWakeNoSleeper", Sabotage::conflicts_wake_no_sleeper,
            first_counterexample_of_icb_por},
        Fault{"WithLateThreadsThatAreNotReached", Sabotage::late_threads_are_not_reached,
            first_counterexample_of_icb_por},
        Fault{"WithBlockedThreadsThatAwaitNothing", Sabotage::blocked_threads_await_nothing,
            first_counterexample_of_icb_por},
        Fault{"WithDeadlocksThatAwaitNothing", Sabotage::deadlocks_await_nothing,
            first_counterexample_of_icb_por}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(Dpor, Sabotaged,
    ::testing::Values(
        Fault{"WithStepsThatEndAtValues", Sabotage::steps_end_at_values, first_counterexample_of_dpor},
        Fault{"WithGuardsThatBeginUnseen", Sabotage::guards_begin_unseen, first_counterexample_of_dpor},
        Fault{"WithoutThreadsThatChooseBeforeTheirFirstStep", Sabotage::only_the_stepping_thread_moves,
            first_counterexample_of_dpor},
        Fault{"WithoutTheCreatorsOfThreadsThatChoose", Sabotage::only_the_chooser_moves_too,
            first_counterexample_of_dpor},
        Fault{"WithJoinsThatEndNoThread", Sabotage::only_the_stepping_thread_ends,
            first_counterexample_of_dpor},
        Fault{"WithJoinsThatReadNothing", Sabotage::joins_read_nothing, first_counterexample_of_dpor},
        Fault{"WithSleepsThatConflictWithNothing", Sabotage::sleeps_conflict_with_nothing,
            first_counterexample_of_dpor},
        Fault{"WithConflictsThatWakeNoSleeper", Sabotage::conflicts_wake_no_sleeper,
            first_counterexample_of_dpor},
        Fault{"WithLateThreadsThatAreNotReached", Sabotage::late_threads_are_not_reached,
            first_counterexample_of_dpor},
        Fault{"WithBlockedThreadsThatAwaitNothing", Sabotage::blocked_threads_await_nothing,
            first_counterexample_of_dpor},
        Fault{"WithDeadlocksThatAwaitNothing", Sabotage::deadlocks_await_nothing,
            first_counterexample_of_dpor}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(HbCache, Sabotaged,
    ::testing::Values(Fault{"WithoutTheLastThread", Sabotage::no_last_thread_in_cache_key,
                          first_counterexample_of_hb_cache},
        Fault{"WithEqualPricesThatCover", Sabotage::equal_prices_cover, first_counterexample_of_hb_cache},
        Fault{"WithValuesThatMakeStates", Sabotage::values_make_states, first_counterexample_of_hb_cache},
        Fault{"WithoutVersionsOfReads", Sabotage::no_versions_of_reads, first_counterexample_of_hb_cache},
        Fault{"WithoutOutcomes", Sabotage::no_outcomes, first_counterexample_of_hb_cache}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(Auto, Sabotaged,
    ::testing::Values(
        Fault{"WithoutTheLastThread", Sabotage::no_last_thread_in_cache_key, first_counterexample_of_auto},
        Fault{"WithEqualPricesThatCover", Sabotage::equal_prices_cover, first_counterexample_of_auto},
        Fault{"WithValuesThatMakeStates", Sabotage::values_make_states, first_counterexample_of_auto},
        Fault{"WithContextsThatSkipABound", Sabotage::auto_skips_a_bound,
            first_counterexample_of_auto_with_icb_por},
        Fault{"WithClassesThatSkipABound", Sabotage::auto_skips_a_bound,
            first_counterexample_of_auto_with_cb_por},
        Fault{"WithContextsThatAreFirstSteps", Sabotage::contexts_are_first_steps,
            first_counterexample_of_auto_with_icb_por},
        Fault{"WithGuardsThatMakeNoStates", Sabotage::guards_make_no_states,
            first_counterexample_of_auto_with_cb_por}),
    test::RowName());

INSTANTIATE_TEST_SUITE_P(Shards, Sabotaged,
    ::testing::Values(Fault{"ThatAllCountWhatAllRun", Sabotage::every_shard_counts_what_all_run,
                          first_counterexample_of_shards},
        Fault{"ThatShareWork", Sabotage::shards_share_work, first_counterexample_of_shards},
        Fault{"ThatLeaveOutWork", Sabotage::shards_leave_out_work, first_counterexample_of_shards}),
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
  std::optional<Counterexample> found = first_counterexample();
  EXPECT_FALSE(found) << found->to_text();
  found = first_counterexample_about_races();
  EXPECT_FALSE(found) << found->to_text();
}

/// A fault in the C++ memory model, and the programs that have to notice it.
struct WeakFault {
  const char* name;
  Sabotage sabotage;
  memory_model::Program (*generator)(std::uint64_t seed);
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
  const auto found = memory_model::first_counterexample(GetParam().generator, seed, GetParam().programs,
      [&](const memory_model::Program& program) { return checker.contradiction(program); });
  ASSERT_TRUE(found);
  std::cout << found->to_text();
}

INSTANTIATE_TEST_SUITE_P(Each, SabotagedMemoryModel,
    ::testing::Values(WeakFault{"WithConstructionsThatAreNoWrites", Sabotage::constructions_are_no_writes,
                          memory_model::lived_program, 100},
        WeakFault{"WithDestructionsThatAreNoWrites", Sabotage::destructions_are_no_writes,
            memory_model::lived_program, 100},
        WeakFault{"WithDestructionsThatLookAtOneUser", Sabotage::destruction_looks_at_one_user,
            memory_model::lived_program, 100},
        WeakFault{
            "WithReadersThatKnowNothing", Sabotage::readers_know_nothing, memory_model::mixed_program, 100},
        WeakFault{"WithUpdatesThatAreNotAdjacent", Sabotage::updates_are_not_adjacent,
            memory_model::mixed_program, 100},
        WeakFault{"WithSeqCstThatOrdersNothing", Sabotage::seq_cst_orders_nothing,
            memory_model::seq_cst_program, 100},
        WeakFault{"WithSeqCstFencesThatOrderNothing", Sabotage::seq_cst_fences_order_nothing,
            memory_model::seq_cst_program, 200},
        WeakFault{"WithSeqCstReadsOfTheNewest", Sabotage::seq_cst_reads_the_newest,
            memory_model::seq_cst_program, 200},
        WeakFault{"WithNotificationsThatStore", Sabotage::notifications_are_stores,
            memory_model::mixed_program, 100},
        WeakFault{"WithPlainReadsThatForgetTheHistory", Sabotage::plain_reads_forget_history,
            [](std::uint64_t /*seed*/) {
              return memory_model::parse("x = 1 rlx; r0 = x na; y = 1 rlx || r1 = y rlx; r2 = x rlx");
            },
            1}),
    test::RowName());

}  // namespace

}  // namespace hocket::oracle
