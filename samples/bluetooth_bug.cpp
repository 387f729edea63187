// A test that fails: a stopped device serves a request. The request reads the stopping flag before it counts
// itself as pending; one preemption between the two is enough.
#include "samples/bluetooth.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(Bluetooth, ServesNoRequestOnceItHasStopped) {
  samples::test_bluetooth<samples::BluetoothSeed::looks_before_it_counts>();
}
