// Random programs on threads of the system: they show nothing that the abstract machine, against which every
// search is checked, does not allow.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/oracle/fuzzing.hpp"
#include "tests/oracle/native_runs.hpp"
#include "tests/oracle/programs/expect_none.hpp"
#include "tests/support/random_tries.hpp"

namespace hocket::oracle {

namespace {

TEST(ProgramsOnThreadsOfTheSystem, ShowNothingThatTheMachineDoesNotAllow) {
  NativeRuns native;
  Fuzzing fuzzing;
  test::RandomTries tries(30'000);
  fuzzing.seed = tries.seed();
  const auto property = [&](const Program& program, const Answer&) { return native.contradiction(program); };
  expect_none(tries, [&] { return fuzzing.run(1, property); });
  if (!tries.are_some()) return;
  EXPECT_GT(native.programs, tries.tried() / 20);
  EXPECT_GT(native.outcomes, native.programs);
  EXPECT_LT(native.unknown, native.outcomes / 10);
  RecordProperty("programs", static_cast<int>(native.programs));
  RecordProperty("outcomes", static_cast<int>(native.outcomes));
}

}  // namespace

}  // namespace hocket::oracle
