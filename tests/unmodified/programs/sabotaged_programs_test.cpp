// The comparisons of random programs with brute forces notice what is wrong with futex system calls, detached
// threads, lives of objects, files, timers, locks, signals, ends of threads and exceptions. In a build of its
// own, which is configured with HOCKET_SABOTAGE (the preset sabotage).
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <ostream>
#include <random>
#include <string>

#include "runtime/terms/sabotage.hpp"

#include "tests/support/row_name.hpp"
#include "tests/unmodified/libc/random_programs.hpp"
#include "tests/unmodified/libc/timer_programs.hpp"
#include "tests/unmodified/libstdcxx/worker_programs.hpp"
#include "tests/unmodified/memory/life_programs.hpp"
#include "tests/unmodified/pthread/futex_programs.hpp"

namespace unmodified {

namespace {

using hocket::runtime::Sabotage;

/// What random programs of a kind show to be wrong: the first of up to 200. Empty: nothing.
template <class Contradiction>
std::string first_of(Contradiction contradiction) {
  constexpr std::uint64_t kPrograms = 200;  // within which each fault must be noticed
  std::mt19937 random(20261127);
  for (std::uint64_t n = 0; n < kPrograms; ++n) {
    if (std::string found = contradiction(random); !found.empty()) return found;
  }
  return {};
}

std::string contradiction_of_futexes() {
  return first_of([](std::mt19937& random) {
    const futexes::Program program = futexes::random_program(random);
    return futexes::contradiction(program, futexes::BruteForce(program).run());
  });
}
std::string contradiction_of_workers() {
  return first_of([](std::mt19937& random) {
    const workers::Program program = workers::random_program(random);
    return workers::contradiction(program, true) + workers::contradiction(program, false);
  });
}
std::string contradiction_of_lives() {
  return first_of([](std::mt19937& random) {
    const lives::Program program = lives::random_program(random);
    return lives::contradiction(program, lives::BruteForce(program).run());
  });
}
std::string contradiction_of_timers() {
  return first_of([](std::mt19937& random) { return timers::contradiction(timers::random_program(random)); });
}
template <random_calls::Compared (*compare)(std::mt19937&)>
std::string contradiction_of() {
  return first_of([](std::mt19937& random) { return compare(random).contradiction; });
}
constexpr auto contradiction_of_descriptors = contradiction_of<descriptors::compare_random_program>;
constexpr auto contradiction_of_epoll = contradiction_of<epoll_sets::compare_random_program>;
constexpr auto contradiction_of_files = contradiction_of<regular_files::compare_random_program>;
constexpr auto contradiction_of_file_locks = contradiction_of<file_locks::compare_random_program>;
constexpr auto contradiction_of_messages = contradiction_of<messages::compare_random_program>;
template <random_calls::Objects objects>
std::string contradiction_of_pipes() {
  return first_of(
      [](std::mt19937& random) { return files::compare_random_program(random, objects).contradiction; });
}
constexpr auto contradiction_of_places = contradiction_of<places::compare_random_program>;
constexpr auto contradiction_of_rwlocks = contradiction_of<rwlocks::compare_random_program>;
constexpr auto contradiction_of_servers = contradiction_of<servers::compare_random_program>;
constexpr auto contradiction_of_signals = contradiction_of<signals::compare_random_program>;
constexpr auto contradiction_of_thread_ends = contradiction_of<thread_ends::compare_random_program>;
constexpr auto contradiction_of_exceptions = contradiction_of<exceptions::compare_random_program>;

struct Fault {
  const char* name;
  Sabotage sabotage;
  std::string (*search)();  ///< that has to notice it
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class SabotagedPrograms : public ::testing::TestWithParam<Fault> {};

TEST_P(SabotagedPrograms, AreNoticed) {
  hocket::runtime::sabotage = GetParam().sabotage;
  const std::string found = GetParam().search();
  hocket::runtime::sabotage = Sabotage::none;
  EXPECT_NE(found, "");
  std::cout << found;
}

INSTANTIATE_TEST_SUITE_P(FutexCalls, SabotagedPrograms,
    ::testing::Values(
        Fault{"WithBitsThatAreIgnored", Sabotage::bits_of_futexes_are_ignored, contradiction_of_futexes},
        Fault{"ThatReturnNothing", Sabotage::nobody_is_woken_by_a_futex_call, contradiction_of_futexes},
        Fault{"WithRequeuesThatWake", Sabotage::requeued_threads_are_woken, contradiction_of_futexes},
        Fault{
            "WithMovesThatAreUnseen", Sabotage::moves_to_other_futexes_are_unseen, contradiction_of_futexes},
        Fault{"WithWokenThreadsThatLookAgain", Sabotage::woken_threads_look_again, contradiction_of_futexes},
        Fault{"WithoutAChoiceOfWaiters", Sabotage::one_waiter_is_always_the_first, contradiction_of_futexes}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(DetachedThreads, SabotagedPrograms,
    ::testing::Values(Fault{"ThatExcuseTheBody", Sabotage::workers_excuse_the_body, contradiction_of_workers},
        Fault{"ThatMayAlwaysWait", Sabotage::workers_that_wait_are_no_leaks, contradiction_of_workers},
        Fault{"WhoseEndsConflictWithNothing", Sabotage::ends_of_workers_conflict_with_nothing,
            contradiction_of_workers}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(LivesOfObjects, SabotagedPrograms,
    ::testing::Values(Fault{"WithoutMemoryOrders", Sabotage::no_memory_orders, contradiction_of_lives},
        Fault{"WithoutFences", Sabotage::fences_order_nothing, contradiction_of_lives},
        Fault{"WithUnlocksThatOrderNothing", Sabotage::unlock_orders_nothing, contradiction_of_lives},
        Fault{"WithFreesThatAreNoWrites", Sabotage::frees_are_no_writes, contradiction_of_lives}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Descriptors, SabotagedPrograms,
    ::testing::Values(
        Fault{"WithWaitsForNumbers", Sabotage::waits_are_for_numbers, contradiction_of_descriptors},
        Fault{
            "WithWaitsThatKeepNothingOpen", Sabotage::waits_keep_no_file_open, contradiction_of_descriptors}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(LocksOfFiles, SabotagedPrograms,
    ::testing::Values(
        Fault{"WithWaitsForNumbers", Sabotage::waits_are_for_numbers, contradiction_of_file_locks},
        Fault{"WithWaitsThatKeepNothingOpen", Sabotage::waits_keep_no_file_open, contradiction_of_file_locks},
        Fault{"ThatAreOfTheProcessAndHeld", Sabotage::waits_of_processes_hold, contradiction_of_file_locks}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(SetsOfEpoll, SabotagedPrograms,
    ::testing::Values(
        Fault{"FromWhichWaitsTakeNothing", Sabotage::waits_in_sets_take_nothing, contradiction_of_epoll},
        Fault{"ThatChangeUnseen", Sabotage::sets_change_unseen, contradiction_of_epoll}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Messages, SabotagedPrograms,
    ::testing::Values(
        Fault{"InQueuesThatAreAskedUnseen", Sabotage::queues_are_asked_unseen, contradiction_of_messages}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Pipes, SabotagedPrograms,
    ::testing::Values(Fault{"FromBeforeThatStayChanged", Sabotage::pipes_stay_changed,
                          contradiction_of_pipes<random_calls::Objects::from_before>},
        Fault{"WithStreamsFromBeforeThatStayChanged", Sabotage::streams_stay_changed,
            contradiction_of_pipes<random_calls::Objects::from_before>},
        Fault{"WithStreamsThatChangeUnseen", Sabotage::streams_change_unseen,
            contradiction_of_pipes<random_calls::Objects::of_body>}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(VariablesFromBefore, SabotagedPrograms,
    ::testing::Values(Fault{"ThatStayChangedInPages", Sabotage::pages_stay_changed, contradiction_of_places},
        Fault{"ThatAreStaticAndStayChanged", Sabotage::statics_stay_changed, contradiction_of_places}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Signals, SabotagedPrograms,
    ::testing::Values(Fault{"OfTheProcessThatComeFirst", Sabotage::signals_of_processes_come_first,
                          contradiction_of_signals},
        Fault{"OfRealTimeThatMerge", Sabotage::signals_merge, contradiction_of_signals},
        Fault{"ThatJoinedThreadsNeverTake", Sabotage::joined_threads_take_none, contradiction_of_signals}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Timers, SabotagedPrograms,
    ::testing::Values(
        Fault{"ThatEndNoWaitWhenSet", Sabotage::set_timers_end_no_wait, contradiction_of_timers},
        Fault{"ThatExpireOnce", Sabotage::timers_expire_once, contradiction_of_timers}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(RegularFiles, SabotagedPrograms,
    ::testing::Values(
        Fault{"WithPositionsOfTheirOwn", Sabotage::positions_are_not_shared, contradiction_of_files},
        Fault{"WithNamesThatReachNone", Sabotage::names_reach_no_files, contradiction_of_files}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Servers, SabotagedPrograms,
    ::testing::Values(
        Fault{"WithWaitsForNumbers", Sabotage::waits_are_for_numbers, contradiction_of_servers}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(LocksThatPreferWriters, SabotagedPrograms,
    ::testing::Values(
        Fault{"WithReadersThatOvertake", Sabotage::readers_overtake_writers, contradiction_of_rwlocks},
        Fault{"WithReadersThatComeAgain", Sabotage::readers_take_locks_again, contradiction_of_rwlocks}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(EndsOfThreads, SabotagedPrograms,
    ::testing::Values(
        Fault{"InTheWrongOrder", Sabotage::thread_locals_go_in_order, contradiction_of_thread_ends},
        Fault{"WithKeysThatAreLookedAtOnce", Sabotage::keys_are_looked_at_once, contradiction_of_thread_ends},
        Fault{"WithPromisesKeptUnseen", Sabotage::promises_are_kept_unseen, contradiction_of_thread_ends}),
    hocket::test::RowName());

INSTANTIATE_TEST_SUITE_P(Exceptions, SabotagedPrograms,
    ::testing::Values(
        Fault{"LetGoUnseen", Sabotage::exceptions_are_let_go_unseen, contradiction_of_exceptions},
        Fault{"ThatOrderNothing", Sabotage::exceptions_order_nothing, contradiction_of_exceptions}),
    hocket::test::RowName());

}  // namespace

}  // namespace unmodified
