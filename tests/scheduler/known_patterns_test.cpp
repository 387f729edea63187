// What is said of lost wake-ups and of values that came back, and when nothing is.
#include "scheduler/schedules/known_patterns.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/schedules/schedule_text.hpp"
#include "tests/support/sample_schedule.hpp"

namespace hocket::tests {
namespace {

using runtime::FailureKind;
using runtime::Operation;
using Steps = std::vector<runtime::RecordedChoice>;

runtime::RecordedChoice did(unsigned thread, Operation operation, std::string object, std::string note = {}) {
  return step(thread, operation, std::move(object), {}, {std::move(note)});
}

Schedule failing_with(FailureKind kind, Steps steps) {
  Schedule schedule;
  schedule.kind = kind;
  schedule.message = "deadlock: no thread can continue";
  schedule.threads = {{"main", -1, 0, {}}, {"worker", 0, 1, {}}};
  schedule.threads[1].waiting = {"notification", "wake", {}};
  schedule.choices = std::move(steps);
  return schedule;
}

/// The worker looks at the flag, which main sets before the worker waits.
Steps missed() {
  Steps steps{did(1, Operation::mutex_lock, "m"), did(1, Operation::atomic_load, "stops", "false"),
      did(0, Operation::atomic_store, "stops", "true"),
      did(0, Operation::condition_notify_all, "wake", "no thread"),
      did(1, Operation::condition_wait, "wake")};
  steps.back().lock = "m";
  return steps;
}

std::string lost_in(const Steps& steps) {
  return lost_wake_up(failing_with(FailureKind::deadlock, steps));
}

TEST(LostWakeUp, IsToldByTheLookTheChangeAndTheWait) {
  EXPECT_EQ(lost_in(missed()),
      "worker read stops = false in step 2; main set it to true in step 3 without m; worker waited in step "
      "5.");
}

TEST(LostWakeUp, IsToldOfACounterWhoseNewValueNobodyHasRead) {
  Steps steps = missed();
  steps[1].notes = {"1"};
  steps[2] = did(0, Operation::atomic_fetch_sub, "stops", "1");
  EXPECT_EQ(lost_in(steps),
      "worker read stops = 1 in step 2; main changed it in step 3 without m; worker waited in step 5.");
}

TEST(LostWakeUp, IsToldWhereTheLookIsWithoutTheMutex) {
  Steps steps = missed();
  std::swap(steps[0], steps[1]);
  std::rotate(steps.begin() + 1, steps.begin() + 2, steps.begin() + 4);
  EXPECT_EQ(lost_in(steps),
      "worker read stops = false in step 1 without m; main set it to true in step 2 without m; worker waited "
      "in step 5.");
}

TEST(LostWakeUp, IsNotToldWithoutANotificationBetweenTheChangeAndTheWait) {
  Steps never = missed();
  never.erase(never.begin() + 3);
  EXPECT_EQ(lost_in(never), "");
  Steps before = missed();
  std::swap(before[2], before[3]);
  EXPECT_EQ(lost_in(before), "");
  Steps later = missed();
  later.push_back(did(0, Operation::condition_notify_one, "wake", "other"));
  EXPECT_EQ(lost_in(later), "");
}

TEST(LostWakeUp, IsNotToldIfTheValueIsAsTheWaiterReadIt) {
  Steps taken_back = missed();
  taken_back.push_back(did(0, Operation::atomic_store, "stops", "false"));
  EXPECT_EQ(lost_in(taken_back), "");
  Steps the_same = missed();
  the_same[2].notes = {"false"};
  EXPECT_EQ(lost_in(the_same), "");
}

TEST(LostWakeUp, IsNotToldOfALookThatIsNotTheLastThingBeforeTheWait) {
  Steps steps = missed();
  steps.insert(steps.begin() + 4, did(1, Operation::atomic_store, "waits", "true"));
  EXPECT_EQ(lost_in(steps), "");
}

TEST(LostWakeUp, IsNotToldOfOtherFailuresOrOfValuesThatMayBeStale) {
  EXPECT_EQ(lost_wake_up(failing_with(FailureKind::check, missed())), "");
  Steps steps = missed();
  steps.push_back(did(1, Operation::atomic_load, "stops", "false"));
  steps.back().is_value = true;
  steps.back().chooses_store = true;
  EXPECT_EQ(lost_in(steps), "");
}

/// The worker looks at plain data, of which no step tells, and main notifies before the worker waits.
Steps missed_plain_data() {
  Steps steps{did(1, Operation::mutex_lock, "m"), did(1, Operation::mutex_unlock, "m"),
      did(0, Operation::condition_notify_one, "wake", "no thread"), did(1, Operation::mutex_lock, "m"),
      did(1, Operation::condition_wait, "wake")};
  steps.back().lock = "m";
  return steps;
}

TEST(LostWakeUp, OfPlainDataIsToldByTheNotificationAndTheWait) {
  Steps steps = missed_plain_data();
  EXPECT_EQ(lost_in(steps),
      "worker gave m back in step 2; main notified wake in step 3, when no thread waited; worker waited in "
      "step 5.");
  steps.erase(steps.begin(), steps.begin() + 2);
  EXPECT_EQ(lost_in(steps), "main notified wake in step 1, when no thread waited; worker waited in step 3.");
}

TEST(LostWakeUp, OfAConditionVariableAnyIsToldByTheLockThatItIsGiven) {
  Steps steps = missed();
  steps.back().lock = "own";
  steps.insert(
      steps.end() - 1, {did(1, Operation::atomic_fetch_add, "uses", "1"),
                           did(1, Operation::mutex_lock, "own"), did(1, Operation::mutex_unlock, "m")});
  EXPECT_EQ(lost_in(steps),
      "worker read stops = false in step 2; main set it to true in step 3 without m; worker waited in step "
      "8.");
}

TEST(LostWakeUp, OfPlainDataIsNotToldWhereTheWaiterCouldSeeWhatItWasFor) {
  Steps took_it = missed_plain_data();
  took_it.insert(
      took_it.end() - 1, {did(1, Operation::mutex_unlock, "m"), did(1, Operation::mutex_lock, "m")});
  EXPECT_EQ(lost_in(took_it), "");
  Steps changed_it = missed_plain_data();
  changed_it.insert(
      changed_it.begin() + 2, {did(0, Operation::mutex_lock, "m"), did(0, Operation::mutex_unlock, "m")});
  EXPECT_EQ(lost_in(changed_it), "");
  Schedule always = failing_with(FailureKind::deadlock, missed_plain_data());
  always.schedules_tried = 11;
  EXPECT_EQ(lost_wake_up(always), "");
  Steps for_another = missed_plain_data();
  for_another.insert(for_another.begin(), did(2, Operation::condition_wait, "wake"));
  EXPECT_EQ(lost_in(for_another), "");
}

TEST(LostWakeUp, IsWhatTheRowOfTheFailureSaysToo) {
  Schedule schedule = failing_with(FailureKind::deadlock, missed());
  schedule.choices.back().notes = {"FAILS: deadlock: no thread can continue"};
  EXPECT_NE(render(schedule).find("FAILS: lost wake-up: no thread can continue"), std::string::npos);
}

Steps came_back() {
  return {did(0, Operation::atomic_load, "head", "0"), did(0, Operation::atomic_load, "next[0]", "1"),
      did(1, Operation::atomic_compare_exchange, "head", "succeeded, 0 becomes 1"),
      did(1, Operation::atomic_exchange, "head", "1"),
      did(1, Operation::atomic_compare_exchange, "head", "failed, expected 1, found 2"),
      did(1, Operation::atomic_store, "next[0]", "2"), did(1, Operation::atomic_store, "head", "0"),
      did(0, Operation::atomic_compare_exchange, "head", "succeeded, 0 becomes 1")};
}

std::string back_in(const Steps& steps) {
  return value_that_came_back(failing_with(FailureKind::check, steps));
}

TEST(AValueThatCameBack, IsToldWithItsCourseAndWithWhatIsOutOfDate) {
  EXPECT_EQ(back_in(came_back()),
      "ABA: main's compare_exchange in step 8 succeeded, although head had changed since step 1: it was 0, "
      "then 1, 2, and 0 again. next[0], which main read as 1 in step 2, is 2 since step 6.");
}

TEST(AValueThatCameBack, IsNotToldWhereNothingElseIsOutOfDate) {
  Steps steps = came_back();
  steps[5].notes = {"1"};
  EXPECT_EQ(back_in(steps), "");  // as at a lock that was taken and given back
}

TEST(AValueThatCameBack, IsNotToldWhereTheExchangeFailsOrTheValueIsAnotherOne) {
  Steps failed = came_back();
  failed.back().notes = {"failed, expected 0, found 0"};
  failed.back().has_failed = true;
  EXPECT_EQ(back_in(failed), "");
  Steps never_seen = came_back();
  never_seen[0].notes = {"7"};
  EXPECT_EQ(back_in(never_seen), "");
}

TEST(AValueThatCameBack, IsNotToldWhereAWriteIsNotKnown) {
  Steps steps = came_back();
  steps[4].notes = {"failed, expected 1, found 3"};
  steps[3].notes = {"9"};  // not what the step before has left
  EXPECT_EQ(back_in(steps), "");
}

TEST(UseUnderConstruction, IsToldWhereAConstructorWritesWhatAnotherThreadReads) {
  Schedule schedule = failing_with(FailureKind::data_race, {});
  schedule.threads[0].access = {"writes", "session.requests", "a.cpp:7", 2, 1};
  const auto told = [&](const std::string& title, const std::string& maker, const std::string& reader) {
    schedule.stacks = {
        {"The read by worker", "", {reader + "  a.cpp:12"}}, {title, "", {maker + "  a.cpp:7"}}};
    return use_under_construction(schedule);
  };
  const std::string write = "The write by main, in step 2";
  EXPECT_EQ(told(write, "app::Session::Session", "serve"),
      "If session.requests is part of what app::Session::Session constructs, that was published before it "
      "was constructed: let no other thread have it until then.");
  EXPECT_NE(told(write, "Box<std::pair<int, int>>::Box", "serve"), "");
  EXPECT_NE(told(write, "Outer<std::map<int, int>>::Inner::Inner", "serve"), "");
  EXPECT_EQ(told(write, "Session::open", "serve"), "");
  EXPECT_EQ(told(write, "MySession::Session", "serve"), "");
  EXPECT_EQ(told(write, "Session::Session", "Session::Session"), "") << "both write what they share";
  EXPECT_EQ(told("The read by main, in step 2", "Session::Session", "serve"), "");
}

}  // namespace
}  // namespace hocket::tests
