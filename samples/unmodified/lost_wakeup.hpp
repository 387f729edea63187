// A bounded buffer in which threads that wait for room or for an item share one condition variable.
//
// With notify_one the wake-up may go to a thread that waits for the other thing. That thread sleeps again,
// and the thread for which the wake-up was meant is not notified.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <queue>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::lost_wakeup {

template <Version version>
class BoundedBuffer {
 public:
  void put(int item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < kCapacity; });  // @put
    items_.push(item);
    notify();
  }
  int take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });  // @take
    const int item = items_.front();
    items_.pop();
    notify();
    return item;
  }

 private:
  static constexpr std::size_t kCapacity = 1;

  void notify() {
    if constexpr (version == Version::buggy) {
      changed_.notify_one();  // @notify
    } else {
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<int> items_;
};

template <Version version>
void body() {
  BoundedBuffer<version> buffer;
  std::thread first_consumer([&] { buffer.take(); });
  std::thread second_consumer([&] { buffer.take(); });
  std::thread producer([&] { buffer.put(1); });
  buffer.put(2);
  producer.join();
  first_consumer.join();
  second_consumer.join();
}

}  // namespace samples::lost_wakeup
