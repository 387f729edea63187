// The address ranges of all heaps, and the shadow memory that says which of them may be used: one byte of
// state for each sixteen bytes.
//
// The heap for what the program allocates outside searches (outer_heap.hpp) comes first, then the heaps of
// the logical threads (heap.hpp).
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
  static constexpr std::uintptr_t kSizeOfPart = std::uintptr_t{1} << 36U;  ///< for each thread
  static constexpr std::uintptr_t kEnd = kBeginOfParts + runtime::kMaxThreads * kSizeOfPart;

  static constexpr std::size_t kUnit = 16;   ///< bytes for each byte of state
  static constexpr std::uint8_t kFreed = 0;  ///< other states up to kUnit: the number of usable bytes

  static bool contains(std::uintptr_t address) { return address - kBegin < kEnd - kBegin; }

  static std::uint8_t* state_of(std::uintptr_t address) {
    return reinterpret_cast<std::uint8_t*>(kStates + (address - kBegin) / kUnit);
  }

  /// Marks a block, which begins on a unit boundary.
  static void mark_used(std::uintptr_t at, std::size_t size) {
    std::memset(state_of(at), kUnit, size / kUnit);
    if (size % kUnit != 0) *state_of(at + size) = static_cast<std::uint8_t>(size % kUnit);
  }
  static void mark_freed(std::uintptr_t at, std::size_t size) {
    std::memset(state_of(at), kFreed, (size + kUnit - 1) / kUnit);
  }

  /// Frees the memory of a freed block of so many bytes, if that is worth a call of the system. What is read
  /// there is then zero, as is its state.
  static void give_back(std::uintptr_t at, std::size_t size);

  /// Reserves these addresses and their states. Memory is committed only when it is used. Returns whether the
  /// addresses were available.
  static bool map(std::uintptr_t begin, std::size_t size);

 private:
  static constexpr std::uintptr_t kStates = 0x320000000000U;
};

}  // namespace hocket::unmodified
