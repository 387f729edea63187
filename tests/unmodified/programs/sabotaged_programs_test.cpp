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
using enum hocket::runtime::Sabotage;

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

constexpr Fault kFutexCalls[] = {
    {"WithBitsThatAreIgnored", bits_of_futexes_are_ignored, contradiction_of_futexes},
    {"ThatReturnNothing", nobody_is_woken_by_a_futex_call, contradiction_of_futexes},
    {"WithRequeuesThatWake", requeued_threads_are_woken, contradiction_of_futexes},
    {"WithMovesThatAreUnseen", moves_to_other_futexes_are_unseen, contradiction_of_futexes},
    {"WithWokenThreadsThatLookAgain", woken_threads_look_again, contradiction_of_futexes},
    {"WithoutAChoiceOfWaiters", one_waiter_is_always_the_first, contradiction_of_futexes},
};
INSTANTIATE_TEST_SUITE_P(
    FutexCalls, SabotagedPrograms, ::testing::ValuesIn(kFutexCalls), hocket::test::RowName());

constexpr Fault kDetachedThreads[] = {
    {"ThatExcuseTheBody", workers_excuse_the_body, contradiction_of_workers},
    {"ThatMayAlwaysWait", workers_that_wait_are_no_leaks, contradiction_of_workers},
    {"WhoseEndsConflictWithNothing", ends_of_workers_conflict_with_nothing, contradiction_of_workers},
};
INSTANTIATE_TEST_SUITE_P(
    DetachedThreads, SabotagedPrograms, ::testing::ValuesIn(kDetachedThreads), hocket::test::RowName());

constexpr Fault kLivesOfObjects[] = {
    {"WithoutMemoryOrders", no_memory_orders, contradiction_of_lives},
    {"WithoutFences", fences_order_nothing, contradiction_of_lives},
    {"WithUnlocksThatOrderNothing", unlock_orders_nothing, contradiction_of_lives},
    {"WithFreesThatAreNoWrites", frees_are_no_writes, contradiction_of_lives},
};
INSTANTIATE_TEST_SUITE_P(
    LivesOfObjects, SabotagedPrograms, ::testing::ValuesIn(kLivesOfObjects), hocket::test::RowName());

constexpr Fault kDescriptors[] = {
    {"WithWaitsForNumbers", waits_are_for_numbers, contradiction_of_descriptors},
    {"WithWaitsThatNeverClose", waits_never_close, contradiction_of_descriptors},
};
INSTANTIATE_TEST_SUITE_P(
    Descriptors, SabotagedPrograms, ::testing::ValuesIn(kDescriptors), hocket::test::RowName());

constexpr Fault kLocksOfFiles[] = {
    {"WithWaitsForNumbers", waits_are_for_numbers, contradiction_of_file_locks},
    {"WithWaitsThatCloseUnseen", waits_close_unseen, contradiction_of_file_locks},
    {"ThatAreOfTheProcessAndHeld", waits_of_processes_hold, contradiction_of_file_locks},
};
INSTANTIATE_TEST_SUITE_P(
    LocksOfFiles, SabotagedPrograms, ::testing::ValuesIn(kLocksOfFiles), hocket::test::RowName());

constexpr Fault kSetsOfEpoll[] = {
    {"FromWhichWaitsTakeNothing", waits_in_sets_take_nothing, contradiction_of_epoll},
    {"ThatChangeUnseen", sets_change_unseen, contradiction_of_epoll},
};
INSTANTIATE_TEST_SUITE_P(
    SetsOfEpoll, SabotagedPrograms, ::testing::ValuesIn(kSetsOfEpoll), hocket::test::RowName());

constexpr Fault kMessages[] = {
    {"InQueuesThatAreAskedUnseen", queues_are_asked_unseen, contradiction_of_messages},
};
INSTANTIATE_TEST_SUITE_P(
    Messages, SabotagedPrograms, ::testing::ValuesIn(kMessages), hocket::test::RowName());

constexpr Fault kPipes[] = {
    {"FromBeforeThatStayChanged", pipes_stay_changed,
        contradiction_of_pipes<random_calls::Objects::from_before>},
    {"WithStreamsFromBeforeThatStayChanged", streams_stay_changed,
        contradiction_of_pipes<random_calls::Objects::from_before>},
    {"WithStreamsThatChangeUnseen", streams_change_unseen,
        contradiction_of_pipes<random_calls::Objects::of_body>},
};
INSTANTIATE_TEST_SUITE_P(Pipes, SabotagedPrograms, ::testing::ValuesIn(kPipes), hocket::test::RowName());

constexpr Fault kVariablesFromBefore[] = {
    {"ThatStayChangedInPages", pages_stay_changed, contradiction_of_places},
    {"ThatAreStaticAndStayChanged", statics_stay_changed, contradiction_of_places},
};
INSTANTIATE_TEST_SUITE_P(VariablesFromBefore, SabotagedPrograms, ::testing::ValuesIn(kVariablesFromBefore),
    hocket::test::RowName());

constexpr Fault kSignals[] = {
    {"OfTheProcessThatComeFirst", signals_of_processes_come_first, contradiction_of_signals},
    {"OfRealTimeThatMerge", signals_merge, contradiction_of_signals},
    {"ThatJoinedThreadsNeverTake", joined_threads_take_none, contradiction_of_signals},
};
INSTANTIATE_TEST_SUITE_P(Signals, SabotagedPrograms, ::testing::ValuesIn(kSignals), hocket::test::RowName());

constexpr Fault kTimers[] = {
    {"ThatEndNoWaitWhenSet", set_timers_end_no_wait, contradiction_of_timers},
    {"ThatExpireOnce", timers_expire_once, contradiction_of_timers},
};
INSTANTIATE_TEST_SUITE_P(Timers, SabotagedPrograms, ::testing::ValuesIn(kTimers), hocket::test::RowName());

constexpr Fault kRegularFiles[] = {
    {"WithPositionsOfTheirOwn", positions_are_not_shared, contradiction_of_files},
    {"WithNamesThatReachNone", names_reach_no_files, contradiction_of_files},
};
INSTANTIATE_TEST_SUITE_P(
    RegularFiles, SabotagedPrograms, ::testing::ValuesIn(kRegularFiles), hocket::test::RowName());

constexpr Fault kServers[] = {
    {"WithWaitsForNumbers", waits_are_for_numbers, contradiction_of_servers},
};
INSTANTIATE_TEST_SUITE_P(Servers, SabotagedPrograms, ::testing::ValuesIn(kServers), hocket::test::RowName());

constexpr Fault kLocksThatPreferWriters[] = {
    {"WithReadersThatOvertake", readers_overtake_writers, contradiction_of_rwlocks},
    {"WithReadersThatComeAgain", readers_take_locks_again, contradiction_of_rwlocks},
};
INSTANTIATE_TEST_SUITE_P(LocksThatPreferWriters, SabotagedPrograms,
    ::testing::ValuesIn(kLocksThatPreferWriters), hocket::test::RowName());

constexpr Fault kEndsOfThreads[] = {
    {"InTheWrongOrder", thread_locals_go_in_order, contradiction_of_thread_ends},
    {"WithKeysThatAreLookedAtOnce", keys_are_looked_at_once, contradiction_of_thread_ends},
    {"WithPromisesKeptUnseen", promises_are_kept_unseen, contradiction_of_thread_ends},
};
INSTANTIATE_TEST_SUITE_P(
    EndsOfThreads, SabotagedPrograms, ::testing::ValuesIn(kEndsOfThreads), hocket::test::RowName());

constexpr Fault kExceptions[] = {
    {"LetGoUnseen", exceptions_are_let_go_unseen, contradiction_of_exceptions},
    {"ThatOrderNothing", exceptions_order_nothing, contradiction_of_exceptions},
};
INSTANTIATE_TEST_SUITE_P(
    Exceptions, SabotagedPrograms, ::testing::ValuesIn(kExceptions), hocket::test::RowName());

}  // namespace

}  // namespace unmodified
