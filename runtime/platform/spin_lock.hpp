// A lock for data that OS threads of the program share with Hocket, where those of the system are
// intercepted.
#pragma once

#include <atomic>

namespace hocket::runtime::platform {

/// While it exists, no other thread has a SpinLock of the same `Data`, which only names what is guarded. The
/// guarded work must be short: who waits keeps the processor busy.
template <class Data>
class SpinLock {
 public:
  SpinLock() {
    while (is_taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~SpinLock() { is_taken.clear(std::memory_order_release); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  static inline constinit std::atomic_flag is_taken{};
};

}  // namespace hocket::runtime::platform
