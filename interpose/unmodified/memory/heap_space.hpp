// The addresses of all heaps, and which of them may be used: each sixteen bytes have one byte of state.
//
// First comes the heap of what the program allocates outside of searches (outer_heap.hpp), then those of the
// logical threads (heap.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../../runtime/terms/thread_set.hpp"

namespace hocket::unmodified {

class HeapSpace {
 public:
  static constexpr std::uintptr_t kBegin = 0x200000000000U;
  static constexpr std::uintptr_t kSizeOfOuter = std::uintptr_t{1} << 36U;
  static constexpr std::uintptr_t kBeginOfParts = kBegin + kSizeOfOuter;
  static constexpr std::uintptr_t kSizeOfPart = std::uintptr_t{1} << 32U;  ///< for each thread
  static constexpr std::uintptr_t kEnd = kBeginOfParts + runtime::kMaxThreads * kSizeOfPart;

  static constexpr std::size_t kUnit = 16;   ///< bytes, for which there is one byte of state
  static constexpr std::uint8_t kFreed = 0;  ///< states up to kUnit tell how many bytes may be used

  static bool contains(std::uintptr_t address) { return address - kBegin < kEnd - kBegin; }

  static std::uint8_t* state_of(std::uintptr_t address) {
    return reinterpret_cast<std::uint8_t*>(kStates + (address - kBegin) / kUnit);
  }

  /// A block, which begins with a unit.
  static void mark_used(std::uintptr_t at, std::size_t size) {
    std::memset(state_of(at), kUnit, size / kUnit);
    if (size % kUnit != 0) *state_of(at + size) = static_cast<std::uint8_t>(size % kUnit);
  }
  static void mark_freed(std::uintptr_t at, std::size_t size) {
    std::memset(state_of(at), kFreed, (size + kUnit - 1) / kUnit);
  }

  /// Reserves these addresses and their states. Memory is committed by use only. Returns whether they were
  /// to be had.
  static bool map(std::uintptr_t begin, std::size_t size);

 private:
  static constexpr std::uintptr_t kStates = 0x300000000000U;
};

}  // namespace hocket::unmodified
