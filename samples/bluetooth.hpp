// A Plug and Play driver modelled on the Bluetooth sample driver that Qadeer and Wu describe in KISS: Keep It
// Simple and Sequential, 2004, and that Musuvathi and Qadeer test in 2007.
//
// Dispatch threads bring requests to a device while another thread stops it. The device counts the requests
// that it is serving, and counts itself as one more until it is being stopped. The thread that brings the
// count to zero sets the stopping event, after which the radio is switched off. A request that comes too late
// is refused.
//
// One bug can be seeded, a change of two lines of the driver. Nothing else depends on it: test_bluetooth()
// checks one invariant, which only the correct driver keeps under every schedule.
#pragma once

#include <hocket/hocket.hpp>
#include <string>
#include <vector>

#include "samples/sample_program.hpp"

namespace samples {

enum class BluetoothSeed {
  none,
  /// A request reads the stopping flag before it counts itself: a device that has stopped serves it.
  looks_before_it_counts,
};

template <BluetoothSeed seed = BluetoothSeed::none>
class BluetoothDevice {
 public:
  BluetoothDevice() {
    hocket::name(pending_io_, "pending I/O");
    hocket::name(stopping_flag_, "stopping flag");
    hocket::name(stopping_event_, "stopping event");
    hocket::name(packets_, "packets");
    hocket::name(radio_is_on_, "radio on");
  }

  /// Serves a request, in a dispatch thread. Returns false, without serving, if the device is stopping.
  bool dispatch() {
    if (!begin_io()) return false;
    hocket::check(radio_is_on_, "a request is served by a device that has stopped");
    packets_.fetch_add(1);
    end_io();
    return true;
  }

  /// Stops the device, once. Returns how many packets it has sent.
  int stop() {
    stopping_flag_.store(true);
    end_io();  // the device's own share of the count
    stopping_event_.wait(false);
    radio_is_on_ = false;
    return packets_.load();
  }

 private:
  // The request counts itself first, which keeps the device running while the flag is read.
  bool begin_io() {
    if (seed == BluetoothSeed::looks_before_it_counts && stopping_flag_.load()) return false;
    pending_io_.fetch_add(1);
    if (seed != BluetoothSeed::looks_before_it_counts && stopping_flag_.load()) {
      end_io();
      return false;
    }
    return true;
  }

  // May set the event more than once: requests may come and be refused after it was set.
  void end_io() {
    if (pending_io_.fetch_sub(1) != 1) return;
    stopping_event_.store(true);
    stopping_event_.notify_all();
  }

  hocket::atomic<int> pending_io_{1};
  hocket::atomic<bool> stopping_flag_{false};
  hocket::atomic<bool> stopping_event_{false};
  hocket::atomic<int> packets_{0};
  hocket::var<bool> radio_is_on_{true};
};

/// The body of a test: `dispatchers` threads bring one request each while the body's own thread stops the
/// device. A request is either served by a running device or refused.
template <BluetoothSeed seed>
void test_bluetooth(int dispatchers = 2) {
  BluetoothDevice<seed> device;
  std::vector<hocket::var<bool>> served(static_cast<std::size_t>(dispatchers));
  hocket::name_this_thread("stopper");
  std::vector<hocket::thread> threads;
  for (std::size_t n = 0; n < served.size(); ++n) {
    hocket::name(served[n], "served " + std::to_string(n + 1));
    threads.emplace_back([&device, &mine = served[n]] { mine = device.dispatch(); });
    hocket::name(threads.back(), "dispatcher " + std::to_string(n + 1));
  }

  const int packets = device.stop();
  for (hocket::thread& thread : threads) thread.join();
  int requests = 0;
  for (const hocket::var<bool>& was_served : served) requests += was_served ? 1 : 0;
  hocket::check(packets == requests, "the device has stopped before it had served what it accepted");
}

inline SampleProgram bluetooth_program() {
  return {"Bluetooth driver", 3, [] { test_bluetooth<BluetoothSeed::none>(); },
      {{"looks before it counts", 1, hocket::FailureKind::data_race, "radio on",
          [] { test_bluetooth<BluetoothSeed::looks_before_it_counts>(); }}}};
}

}  // namespace samples
