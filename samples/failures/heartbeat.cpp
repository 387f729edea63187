// A service that counts heartbeats until it is told to stop. It forgets what it was told before it began.
#include <atomic>
#include <thread>

#include <hocket/gtest.hpp>

namespace {

class Service {
 public:
  void run() {
    stop_ = false;
    while (!stop_) {
      ++beats_;
      std::this_thread::yield();
    }
  }
  void stop() { stop_ = true; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> beats_ = 0;
};

}  // namespace

HOCKET_TEST_WITH(Failures, LivelockOf5000Steps, {.max_steps = 5000}) {
  Service service;
  std::thread beating([&service] { service.run(); });
  service.stop();
  beating.join();
}
