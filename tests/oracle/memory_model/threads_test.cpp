// What the axioms say of the parts that litmus tests leave out: mutexes, threads that start and end, threads
// that sleep, races, and how many execution graphs there are.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/oracle/memory_model/enumeration.hpp"
#include "tests/oracle/programs/notation.hpp"

namespace hocket::memory_model {

namespace {

using oracle::parse;

Behaviours behaviours(std::string_view program, const Rules& rules = {}) {
  Behaviours result = enumerate(parse(program), rules);
  EXPECT_FALSE(result.is_incomplete) << program;
  return result;
}

bool races(std::string_view program) {
  return behaviours(program).has_race;
}

}  // namespace

// [intro.races]: two accesses race if one writes, one is not atomic, and neither happens before the other.
TEST(Races, AreBetweenAccessesThatNothingOrders) {
  EXPECT_TRUE(races("x = 1 na || r0 = x na"));
  EXPECT_TRUE(races("x = 1 na || x = 2 na"));
  EXPECT_TRUE(races("x = 1 na || r0 = x sc"));
  EXPECT_FALSE(races("r0 = x na || r1 = x na"));
  EXPECT_FALSE(races("x = 1 rlx || r0 = x rlx"));
  EXPECT_FALSE(races("x = 1 na || y = 1 na"));
}

TEST(Races, AreExcludedByReleaseAndAcquireOnly) {
  EXPECT_FALSE(races("x = 1 na; y = 1 rel || r0 = y acq; skip 1 if r0 != 1; r1 = x na"));
  EXPECT_TRUE(races("x = 1 na; y = 1 rlx || r0 = y acq; skip 1 if r0 != 1; r1 = x na"));
  EXPECT_TRUE(races("x = 1 na; y = 1 rel || r0 = y rlx; skip 1 if r0 != 1; r1 = x na"));
  EXPECT_TRUE(races("x = 1 na; y = 1 rel || r0 = y acq; r1 = x na"));
}

// [thread.mutex.requirements.mutex]: an unlock synchronizes with the locks that succeed later.
TEST(Mutexes, OrderWhatTheyGuard) {
  EXPECT_FALSE(races("lock m; x = 1 na; unlock m || lock m; r0 = x na; unlock m"));
  EXPECT_TRUE(races("lock m; x = 1 na; unlock m || lock n; r0 = x na; unlock n"));
  EXPECT_TRUE(races("lock m; x = 1 na; unlock m || lock m; unlock m; r0 = x na"));
  const Behaviours both =
      behaviours("lock m; r0 = x rlx; x = r0+1 rlx; unlock m || lock m; r1 = x rlx; x = r1+1 rlx; unlock m");
  EXPECT_EQ(both.complete.size(), 2);
  EXPECT_EQ(both.outcomes.size(), 2);
  EXPECT_FALSE(shows(both, "x=1"));
}

TEST(Mutexes, ThatAreTakenInDifferentOrdersCanLeaveBothThreadsStuck) {
  EXPECT_EQ(
      behaviours("lock m; lock n; unlock n; unlock m || lock n; lock m; unlock m; unlock n").stuck.size(), 1);
  EXPECT_TRUE(
      behaviours("lock m; lock n; unlock n; unlock m || lock m; lock n; unlock n; unlock m").stuck.empty());
}

// [thread.thread.constr], [thread.thread.member]: a thread begins after what its starter has done, and join
// returns after what it has done.
TEST(Threads, AreOrderedWithTheirStartAndJoin) {
  EXPECT_FALSE(races("x = 1 na; start 1; join 1; r0 = x na || r1 = x na; x = 2 na"));
  EXPECT_TRUE(races("x = 1 na; start 1; r0 = x na; join 1 || x = 2 na"));
  EXPECT_TRUE(races("start 1; x = 1 na; join 1 || r1 = x na"));
  const Behaviours joined = behaviours("x = 1 rlx; start 1; join 1; r0 = x rlx || r1 = x rlx; x = 2 rlx");
  EXPECT_EQ(joined.complete.size(), 1);
  EXPECT_TRUE(shows(joined, "r0=2 r1=1"));
}

// [atomics.order]: among seq_cst operations counts what happens before strongly. A thread begins and ends in
// program order, so what it does first and last is ordered with its start and join.
TEST(Threads, OrderSeqCstOperationsByTheirBeginningAndEnd) {
  EXPECT_FALSE(shows(behaviours("x = 1 sc; start 1 || r0 = y sc || y = 1 sc; r1 = x sc"), "r0=0 r1=0"));
  EXPECT_FALSE(
      shows(behaviours("start 1; join 1; r0 = y sc || x = 1 sc || y = 1 sc; r1 = x sc"), "r0=0 r1=0"));
  EXPECT_FALSE(shows(
      behaviours("start 1; join 1; start 2 || x = 1 sc || r0 = y sc || y = 1 sc; r1 = x sc"), "r0=0 r1=0"));
  EXPECT_TRUE(shows(behaviours("x = 1 sc; start 1 || r0 = y sc || y = 1 rel; r1 = x sc"), "r0=0 r1=0"));
  EXPECT_TRUE(
      shows(behaviours("start 1; join 1; r0 = y acq || x = 1 sc || y = 1 sc; r1 = x sc"), "r0=0 r1=0"));
}

// [atomics.wait]: a wait ends only with another value; without a notification it may last for ever.
TEST(Waits, EndWithAnotherValueAndCanMissTheNotification) {
  const Behaviours notified = behaviours("x = 1 rel; notify_all x || r0 = wait x 0 acq");
  EXPECT_TRUE(notified.stuck.empty());
  EXPECT_TRUE(shows(notified, "r0=1"));
  EXPECT_FALSE(shows(notified, "r0=0"));
  EXPECT_FALSE(behaviours("x = 1 rel || r0 = wait x 0 acq").stuck.empty());
  EXPECT_FALSE(behaviours("notify_all x; x = 1 rel || r0 = wait x 0 acq").stuck.empty());
  EXPECT_FALSE(behaviours("x = 1 rel; notify_one x || r0 = wait x 0 acq || r1 = wait x 0 acq").stuck.empty());
  EXPECT_TRUE(behaviours("x = 1 rel; notify_all x || r0 = wait x 0 acq || r1 = wait x 0 acq").stuck.empty());
}

TEST(Waits, SynchronizeByTheirLoadAndNotByTheNotification) {
  EXPECT_FALSE(races("y = 1 na; x = 1 rel; notify_all x || r0 = wait x 0 acq; r1 = y na"));
  EXPECT_TRUE(races("y = 1 na; x = 1 rlx; notify_all x || r0 = wait x 0 acq; r1 = y na"));
  EXPECT_TRUE(races("y = 1 na; x = 1 rel; notify_all x || r0 = wait x 0 rlx; r1 = y na"));
}

// [thread.condition]: a wait gives the mutex back and falls asleep in one step.
TEST(Waits, AtConditionVariablesMissNothingThatIsDoneUnderTheMutex) {
  const std::string waiter = "lock m; r0 = x rlx; skip 1 if r0 == 1; sleep c m; unlock m";
  EXPECT_TRUE(behaviours(waiter + " || lock m; x = 1 rlx; unlock m; wake_one c").stuck.empty());
  EXPECT_FALSE(behaviours(waiter + " || x = 1 rlx; wake_one c").stuck.empty());
  EXPECT_FALSE(
      races("lock m; r0 = x na; skip 1 if r0 == 1; sleep c m; r1 = x na; unlock m"
            " || lock m; x = 1 na; unlock m; wake_one c"));
}

// Each order of n read-modify-writes is a graph. Of the four graphs of two stores by each of two threads to
// the same two atomics, seq_cst excludes the one in which each thread's first store comes last.
TEST(Graphs, AreAsManyAsThereAreOrders) {
  EXPECT_EQ(behaviours("r0 = add x 1 rlx || r1 = add x 1 rlx").complete.size(), 2);
  EXPECT_EQ(behaviours("r0 = add x 1 rlx || r1 = add x 1 rlx || r2 = add x 1 rlx").complete.size(), 6);
  EXPECT_EQ(behaviours("r0 = add x 1 rlx || r1 = add x 1 rlx || r2 = add x 1 rlx || r3 = add x 1 rlx")
                .complete.size(),
      24);
  EXPECT_EQ(behaviours("x = 1 rlx; y = 2 rlx || y = 1 rlx; x = 2 rlx").complete.size(), 4);
  EXPECT_EQ(behaviours("x = 1 sc; y = 2 sc || y = 1 sc; x = 2 sc").complete.size(), 3);
  EXPECT_EQ(
      behaviours("x = 1 rlx; fence sc; y = 2 rlx || y = 1 rlx; fence sc; x = 2 rlx").complete.size(), 3);
  Rules without_fences;
  without_fences.orders_seq_cst_fences = false;
  EXPECT_EQ(behaviours("x = 1 rlx; fence sc; y = 2 rlx || y = 1 rlx; fence sc; x = 2 rlx", without_fences)
                .complete.size(),
      4);
}

}  // namespace hocket::memory_model
