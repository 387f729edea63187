// How many calls of a model a thread has made.
#pragma once

#include <atomic>
#include <cstdint>

namespace hocket {

/// The number of calls that a thread has begun, and whether it is in the last one. Another thread may look at
/// it, and in shared memory another process, also when this one has ended.
class CountOfCalls {
 public:
  void begin() { set((get() | 1U) + 2); }
  void end() { set(get() & ~std::uint64_t{1}); }
  [[nodiscard]] std::uint64_t number() const { return get() >> 1U; }
  [[nodiscard]] bool is_in_call() const { return (get() & 1U) != 0; }

 private:
  // Only one thread changes it.
  [[nodiscard]] std::uint64_t get() const { return twice_.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) { twice_.store(value, std::memory_order_relaxed); }

  std::atomic<std::uint64_t> twice_ = 0;  ///< and one more in a call
};

}  // namespace hocket
