// A pool of slots whose free slots are on a lock-free stack (Treiber, Systems Programming: Coping with
// Parallelism, 1986). A pop reads the top and the slot below it, and then replaces the top by that slot if
// the top is unchanged. But the slot below may have changed even so, if the top was taken and put back
// meanwhile. The corrected version counts the changes of the top.
#pragma once

#include <atomic>
#include <cstdint>
#include <hocket/hocket.hpp>
#include <thread>

#include "samples/unmodified/version.hpp"

namespace samples::aba_stack {

inline constexpr std::int32_t kNone = -1;

template <Version version>
class SlotPool {
 public:
  /// Returns a slot that only the caller may use, or kNone.
  std::int32_t take() {
    Top top = top_.load();
    while (top.slot != kNone) {
      if (top_.compare_exchange_weak(top, changed(top, below_[top.slot].load()))) {
        hocket::check(!is_taken_[top.slot].exchange(true), "a slot is given to two threads");  // @taken
        return top.slot;
      }
    }
    return kNone;
  }
  void put_back(std::int32_t slot) {
    is_taken_[slot] = false;
    Top top = top_.load();
    do {
      below_[slot] = top.slot;
    } while (!top_.compare_exchange_weak(top, changed(top, slot)));
  }

 private:
  struct Top {
    std::int32_t slot;
    std::uint32_t changes;
  };
  static Top changed(Top top, std::int32_t slot) {
    return {slot, version == Version::buggy ? 0 : top.changes + 1};
  }

  std::atomic<Top> top_{Top{0, 0}};
  std::atomic<std::int32_t> below_[3] = {1, 2, kNone};
  std::atomic<bool> is_taken_[3] = {};
};

template <Version version>
void body() {
  SlotPool<version> pool;
  std::thread other([&] {
    const std::int32_t first = pool.take();
    pool.take();
    if (first != kNone) pool.put_back(first);
  });
  pool.take();
  pool.take();
  other.join();
}

}  // namespace samples::aba_stack
