// A worker that sleeps until it is told to stop. The flag is atomic and therefore set without the mutex: the
// notification may come when the worker has read the flag but does not sleep yet. It then sleeps for ever.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::missed_notify {

template <Version version>
class Worker {
 public:
  ~Worker() {
    if constexpr (version == Version::buggy) {
      stops_ = true;
    } else {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    wake_.notify_one();  // @notify
    thread_.join();      // @join
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stops_) wake_.wait(lock);  // @wait
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> stops_{false};
  std::thread thread_{[this] { run(); }};
};

template <Version version>
void body() {
  Worker<version> worker;
}

}  // namespace samples::missed_notify
