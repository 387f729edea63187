// Tests what iterative context bounding finds in the asynchronous processing environment and with how many
// preemptions: two bugs need none, one needs one and one needs two, as in Musuvathi and Qadeer 2007, Table 2.
#include "samples/ape.hpp"

#include <gtest/gtest.h>

#include "samples/expect_bound.hpp"

namespace {

using hocket::FailureKind;
using samples::ApeSeed;
using samples::test_ape;

TEST(CorrectProcessingEnvironment, RunsEveryItemOnceUnderEveryScheduleOfUpToThreePreemptions) {
  samples::expect_pass_within(3, [] { test_ape<ApeSeed::none>(); });
}

TEST(SeededProcessingEnvironment, LosesAnItemWithoutAnyPreemptionWhenWorkersStopBeforeTheirWorkIsDone) {
  samples::expect_failure_at(0, FailureKind::check, "the last item was accepted, and has not run once",
      [] { test_ape<ApeSeed::stops_before_its_work_is_done>(); });
}

TEST(SeededProcessingEnvironment, LeavesItsOwnerWaitingWithoutAnyPreemptionWhenItStartsNoFirstTimer) {
  samples::expect_failure_at(0, FailureKind::deadlock, "timer waits for a notification of timers",
      [] { test_ape<ApeSeed::starts_no_first_timer>(); });
}

TEST(SeededProcessingEnvironment, UsesADestroyedItemWithOnePreemptionWhenItTouchesWhatIsFinished) {
  samples::expect_failure_at(1, FailureKind::use_after_destruction, "is about to perform atomic.store on it",
      [] { test_ape<ApeSeed::touches_finished_item>(); });
}

TEST(SeededProcessingEnvironment, RunsACancelledItemWithTwoPreemptionsWhenItClaimsWithoutExchange) {
  samples::expect_failure_at(2, FailureKind::check, "the cancelled item has run",
      [] { test_ape<ApeSeed::claims_without_exchange>(); });
}

}  // namespace
