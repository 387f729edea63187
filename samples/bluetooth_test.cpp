// Tests what iterative context bounding finds in the Bluetooth driver: one bug with one preemption, as in
// Musuvathi and Qadeer 2007, Table 2.
#include "samples/bluetooth.hpp"

#include <gtest/gtest.h>

#include "samples/expect_bound.hpp"

namespace {

using hocket::FailureKind;
using samples::BluetoothSeed;
using samples::test_bluetooth;

TEST(CorrectBluetoothDriver, ServesOrRefusesEveryRequestUnderEverySchedule) {
  samples::expect_pass_exhaustively([] { test_bluetooth<BluetoothSeed::none>(); });
}

TEST(CorrectBluetoothDriver, ServesOrRefusesThreeRequestsUnderEveryScheduleOfUpToThreePreemptions) {
  samples::expect_pass_within(3, [] { test_bluetooth<BluetoothSeed::none>(3); });
}

TEST(SeededBluetoothDriver, ServesARequestWhenItHasStoppedWithOnePreemptionWhenItLooksBeforeItCounts) {
  // The radio is switched off while the request uses it.
  samples::expect_failure_at(
      1, FailureKind::data_race, "radio on", [] { test_bluetooth<BluetoothSeed::looks_before_it_counts>(); });
}

}  // namespace
