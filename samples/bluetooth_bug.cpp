// A test that fails: a request is served by a device that has stopped. The request looks at the stopping flag
// before it has counted itself as pending; one preemption between the two is enough.
#include "samples/bluetooth.hpp"

#include <hocket/gtest.hpp>

HOCKET_TEST(Bluetooth, ServesNoRequestOnceItHasStopped) {
  samples::test_bluetooth<samples::BluetoothSeed::looks_before_it_counts>();
}
