// The comparison of random programs with a brute force notices what is wrong with futex system calls. In a
// build of its own, which is configured with HOCKET_SABOTAGE (the preset sabotage).
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <ostream>
#include <random>
#include <string>

#include "runtime/terms/sabotage.hpp"

#include "tests/support/row_name.hpp"
#include "tests/unmodified/pthread/futex_programs.hpp"

namespace unmodified::futexes {

namespace {

using hocket::runtime::Sabotage;

/// What random programs show to be wrong. Empty: nothing.
std::string first_contradiction() {
  constexpr std::uint64_t kPrograms = 200;  // within which each fault must be noticed
  std::mt19937 random(20261127);
  for (std::uint64_t n = 0; n < kPrograms; ++n) {
    const Program program = random_program(random);
    std::string found = contradiction(program, BruteForce(program).run());
    if (!found.empty()) return found;
  }
  return {};
}

struct Fault {
  const char* name;
  Sabotage sabotage;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class SabotagedFutexes : public ::testing::TestWithParam<Fault> {};

TEST_P(SabotagedFutexes, AreNoticed) {
  hocket::runtime::sabotage = GetParam().sabotage;
  const std::string found = first_contradiction();
  hocket::runtime::sabotage = Sabotage::none;
  EXPECT_NE(found, "");
  std::cout << found;
}

INSTANTIATE_TEST_SUITE_P(Faults, SabotagedFutexes,
    ::testing::Values(Fault{"WithBitsThatAreIgnored", Sabotage::bits_of_futexes_are_ignored},
        Fault{"WithCallsThatReturnNothing", Sabotage::nobody_is_woken_by_a_futex_call},
        Fault{"WithRequeuesThatWake", Sabotage::requeued_threads_are_woken},
        Fault{"WithMovesThatAreUnseen", Sabotage::moves_to_other_futexes_are_unseen},
        Fault{"WithWokenThreadsThatLookAgain", Sabotage::woken_threads_look_again},
        Fault{"WithoutAChoiceOfWaiters", Sabotage::one_waiter_is_always_the_first}),
    hocket::test::RowName());

}  // namespace

}  // namespace unmodified::futexes
