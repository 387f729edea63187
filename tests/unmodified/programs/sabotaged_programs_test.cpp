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
template <random_calls::Objects objects>
std::string contradiction_of_pipes() {
  return first_of(
      [](std::mt19937& random) { return files::compare_random_program(random, objects).contradiction; });
}

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

constexpr Fault kFaults[] = {
    {"FutexCallsWithBitsThatAreIgnored", bits_of_futexes_are_ignored, contradiction_of_futexes},
    {"FutexCallsThatReturnNothing", nobody_is_woken_by_a_futex_call, contradiction_of_futexes},
    {"FutexCallsWithRequeuesThatWake", requeued_threads_are_woken, contradiction_of_futexes},
    {"FutexCallsWithMovesThatAreUnseen", moves_to_other_futexes_are_unseen, contradiction_of_futexes},
    {"FutexCallsWithWokenThreadsThatLookAgain", woken_threads_look_again, contradiction_of_futexes},
    {"FutexCallsWithoutAChoiceOfWaiters", one_waiter_is_always_the_first, contradiction_of_futexes},
    {"DetachedThreadsThatExcuseTheBody", workers_excuse_the_body, contradiction_of_workers},
    {"DetachedThreadsThatMayAlwaysWait", workers_that_wait_are_no_leaks, contradiction_of_workers},
    {"DetachedThreadsWhoseEndsConflictWithNothing", ends_of_workers_conflict_with_nothing,
        contradiction_of_workers},
    {"LivesOfObjectsWithoutMemoryOrders", no_memory_orders, contradiction_of_lives},
    {"LivesOfObjectsWithoutFences", fences_order_nothing, contradiction_of_lives},
    {"LivesOfObjectsWithUnlocksThatOrderNothing", unlock_orders_nothing, contradiction_of_lives},
    {"LivesOfObjectsWithFreesThatAreNoWrites", frees_are_no_writes, contradiction_of_lives},
    {"DescriptorsWithWaitsForNumbers", waits_are_for_numbers,
        contradiction_of<descriptors::compare_random_program>},
    {"DescriptorsWithWaitsThatNeverClose", waits_never_close,
        contradiction_of<descriptors::compare_random_program>},
    {"LocksOfFilesWithWaitsForNumbers", waits_are_for_numbers,
        contradiction_of<file_locks::compare_random_program>},
    {"LocksOfFilesWithWaitsThatCloseUnseen", waits_close_unseen,
        contradiction_of<file_locks::compare_random_program>},
    {"LocksOfFilesThatAreOfTheProcessAndHeld", waits_of_processes_hold,
        contradiction_of<file_locks::compare_random_program>},
    {"SetsOfEpollFromWhichWaitsTakeNothing", waits_in_sets_take_nothing,
        contradiction_of<epoll_sets::compare_random_program>},
    {"SetsOfEpollThatChangeUnseen", sets_change_unseen, contradiction_of<epoll_sets::compare_random_program>},
    {"MessagesInQueuesThatAreAskedUnseen", queues_are_asked_unseen,
        contradiction_of<messages::compare_random_program>},
    {"PipesFromBeforeThatStayChanged", pipes_stay_changed,
        contradiction_of_pipes<random_calls::Objects::from_before>},
    {"PipesWithStreamsFromBeforeThatStayChanged", streams_stay_changed,
        contradiction_of_pipes<random_calls::Objects::from_before>},
    {"PipesWithStreamsThatChangeUnseen", streams_change_unseen,
        contradiction_of_pipes<random_calls::Objects::of_body>},
    {"VariablesFromBeforeThatStayChangedInPages", pages_stay_changed,
        contradiction_of<places::compare_random_program>},
    {"VariablesFromBeforeThatAreStaticAndStayChanged", statics_stay_changed,
        contradiction_of<places::compare_random_program>},
    {"SignalsOfTheProcessThatComeFirst", signals_of_processes_come_first,
        contradiction_of<signals::compare_random_program>},
    {"SignalsOfRealTimeThatMerge", signals_merge, contradiction_of<signals::compare_random_program>},
    {"SignalsThatJoinedThreadsNeverTake", joined_threads_take_none,
        contradiction_of<signals::compare_random_program>},
    {"TimersThatEndNoWaitWhenSet", set_timers_end_no_wait, contradiction_of_timers},
    {"TimersThatExpireOnce", timers_expire_once, contradiction_of_timers},
    {"RegularFilesWithPositionsOfTheirOwn", positions_are_not_shared,
        contradiction_of<regular_files::compare_random_program>},
    {"RegularFilesWithNamesThatReachNone", names_reach_no_files,
        contradiction_of<regular_files::compare_random_program>},
    {"ServersWithWaitsForNumbers", waits_are_for_numbers, contradiction_of<servers::compare_random_program>},
    {"LocksThatPreferWritersWithReadersThatOvertake", readers_overtake_writers,
        contradiction_of<rwlocks::compare_random_program>},
    {"LocksThatPreferWritersWithReadersThatComeAgain", readers_take_locks_again,
        contradiction_of<rwlocks::compare_random_program>},
    {"EndsOfThreadsInTheWrongOrder", thread_locals_go_in_order,
        contradiction_of<thread_ends::compare_random_program>},
    {"EndsOfThreadsWithKeysThatAreLookedAtOnce", keys_are_looked_at_once,
        contradiction_of<thread_ends::compare_random_program>},
    {"EndsOfThreadsWithPromisesKeptUnseen", promises_are_kept_unseen,
        contradiction_of<thread_ends::compare_random_program>},
    {"ExceptionsLetGoUnseen", exceptions_are_let_go_unseen,
        contradiction_of<exceptions::compare_random_program>},
    {"ExceptionsThatOrderNothing", exceptions_order_nothing,
        contradiction_of<exceptions::compare_random_program>},
};
INSTANTIATE_TEST_SUITE_P(Each, SabotagedPrograms, ::testing::ValuesIn(kFaults), hocket::test::RowName());

}  // namespace

}  // namespace unmodified
