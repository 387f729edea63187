// The comparisons of random programs with brute forces notice what is wrong with futex system calls, detached
// threads and the lives of objects. In a build of its own, which is configured with HOCKET_SABOTAGE (the
// preset sabotage).
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <ostream>
#include <random>
#include <string>

#include "runtime/terms/sabotage.hpp"

#include "tests/support/row_name.hpp"
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

}  // namespace

}  // namespace unmodified
