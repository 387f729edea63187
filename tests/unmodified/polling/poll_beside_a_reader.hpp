// A poll under two locks, of which a reader shares the inner one until the poll has ended.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace unmodified {

inline void poll_beside_a_reader() {
  std::mutex outer;
  std::shared_mutex inner;
  std::atomic<bool> is_over{false};
  bool is_ready = false;
  std::thread reader([&] {
    const std::shared_lock lock(inner);
    is_over.wait(false);
  });
  std::thread writer([&] {
    {
      const std::lock_guard lock(outer);
      is_ready = true;
    }
    is_over = true;
    is_over.notify_one();
  });
  for (bool ends = false; !ends;) {
    const std::lock_guard lock(outer);
    const std::shared_lock nested(inner);
    ends = is_ready;
  }
  reader.join();
  writer.join();
}

}  // namespace unmodified
