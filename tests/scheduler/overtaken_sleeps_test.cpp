// Which sleep of a failing execution is said to have ended too early.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/failures/overtaken_sleeps.hpp"
#include "tests/support/sample_schedule.hpp"

namespace hocket::tests {

namespace {

using runtime::Operation;
using runtime::RecordedChoice;

RecordedChoice asleep(unsigned thread, std::int64_t seconds) {
  RecordedChoice choice = step(thread, Operation::thread_sleep, "", "");
  choice.sleeps = seconds * 1'000'000'000;
  return choice;
}

/// Main creates the others before the first step.
Schedule of_threads(unsigned threads, std::vector<RecordedChoice> choices) {
  Schedule schedule;
  schedule.threads.resize(threads);
  for (unsigned t = 0; t < threads; ++t) {
    schedule.threads[t].label = t == 0 ? "main" : "thread " + std::to_string(t);
    schedule.threads[t].creator = t == 0 ? -1 : 0;
  }
  schedule.choices = std::move(choices);
  return schedule;
}

std::string said_of(const Schedule& schedule) {
  const std::vector<EarlySleep> found = early_sleeps(schedule);
  return found.empty() ? "" : found.front().text;
}

TEST(AnEarlySleep, IsOneThatEndsBeforeAShorterOneOfAnotherThread) {
  EXPECT_EQ(said_of(of_threads(3, {asleep(1, 5), asleep(2, 1), asleep(0, 9)})),
      "thread 1's sleep of 5 s ended in step 1, before thread 2's of 1 s in step 2.");
  EXPECT_EQ(said_of(of_threads(3, {asleep(2, 1), asleep(1, 5), asleep(0, 9)})), "");
}

TEST(AnEarlySleep, MayEndBeforeAStepOfAThreadThatIsAwake) {
  EXPECT_EQ(said_of(of_threads(2, {asleep(0, 1), step(1, Operation::atomic_store, "x", "")})),
      "main's sleep of 1 s ended in step 1, before thread 1's atomic.store of x in step 2.");
}

TEST(AnEarlySleep, MayBeAWaitThatExpires) {
  RecordedChoice wait = step(1, Operation::condition_wait, "c", "a.cpp:3");
  wait.mode = runtime::Mode::expire;
  wait.sleeps = 5'000'000'000;
  EXPECT_EQ(said_of(of_threads(3, {wait, asleep(2, 1), asleep(0, 9)})),
      "thread 1's wait of 5 s on c (a.cpp:3) expired in step 1, before thread 2's sleep of 1 s in step 2.");
  EXPECT_EQ(said_of(of_threads(3, {asleep(1, 9), wait, asleep(2, 1)})),
      "thread 1's wait of 5 s on c (a.cpp:3) expired in step 2, before thread 2's sleep of 1 s in step 3.");
}

TEST(AnEarlySleep, ComesBeforeThoseThatOnlyOvertakeThreadsThatAreAwake) {
  Schedule schedule =
      of_threads(3, {asleep(0, 5), asleep(1, 3), asleep(0, 7), step(2, Operation::atomic_store, "x", "")});
  schedule.threads[2].made_after = 2;
  const std::vector<EarlySleep> found = early_sleeps(schedule);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].at, 0U);
  EXPECT_EQ(found[0].overtaken, 1U);
  EXPECT_EQ(found[1].at, 2U);
}

/// Main joins thread 2, which has joined thread 3, so that main's own sleep begins after nine seconds.
TEST(AnEarlySleep, IsNotLongerThanWhatAnotherThreadHasWaitedForInAChainOfJoins) {
  Schedule schedule = of_threads(4, {asleep(2, 8), asleep(3, 9), asleep(1, 10), asleep(0, 1)});
  schedule.threads[2].joiner = 0;
  schedule.threads[3].joiner = 2;
  for (const unsigned t : {2U, 3U}) schedule.threads[t].joined_after = 3;
  EXPECT_EQ(said_of(schedule), "");
}

}  // namespace

}  // namespace hocket::tests
