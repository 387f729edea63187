// C programs: the atomics and threads of C11.
#include "tests/unmodified/pthread/c11_bodies.h"

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

std::function<void()> body(int (*function)()) {
  return [function] { check(function() == 0, "a C body is wrong"); };
}

TEST(AnAtomicOfC11, IsSteppedOnAsAStdAtomicIs) {
  EXPECT_EQ(explored(body(&c11_increments)).classes, 6U);
}

TEST(AnAtomicOfC11, LosesAnUpdateThatIsALoadAndAStoreWithOnePreemption) {
  expect_failure(FailureKind::check, 1, "a C body is wrong", body(&c11_lost_increment));
}

TEST(AFenceOfC11, OrdersPlainData) {
  explored(body(&c11_fences));
}

TEST(AFlagOfC11, IsALock) {
  explored(within(1), body(&c11_flag));
}

TEST(PlainDataOfC, ThatTwoThreadsChangeIsADataRace) {
  expect_failure(FailureKind::data_race, 0, "c11_bodies.c", body(&c11_race));
}

TEST(TheThreadsOfC11, AreControlledWithTheirMutexesConditionsOnceFlagsAndKeys) {
  explored(within(1), body(&c11_threads));
}

TEST(AMutexOfC11, TellsWhoTriesForItThatItIsHeld) {
  explored(body(&c11_tries));
}

TEST(ATimedWaitOfC11, LastsAsLongAsItSays) {
  explored(body(&c11_times));
}

TEST(AThreadOfC11, GivesItsResultByExitAndMayBeDetached) {
  explored(within(0), body(&c11_ends));
}

}  // namespace

}  // namespace unmodified
