// The address range of all logical threads' stacks. Each thread has a part, so an address tells whose stack
// it belongs to.
#pragma once

#include <cstdint>

#include "../../../runtime/terms/thread_set.hpp"
#include "heap_space.hpp"

namespace hocket::unmodified {

class StackSpace {
 public:
  static constexpr std::uintptr_t kSizeOfPart = std::uintptr_t{1} << 32U;
  static constexpr std::uintptr_t kSize = runtime::kMaxThreads * kSizeOfPart;
  static constexpr std::uintptr_t kBegin = HeapSpace::kBegin - kSize;

  static bool contains(std::uintptr_t address) { return address - kBegin < kSize; }
  /// The index of the thread whose part holds the address.
  static unsigned owner_of(std::uintptr_t address) {
    return static_cast<unsigned>((address - kBegin) / kSizeOfPart);
  }
  /// The upper end of the stack of the thread with that index. The stack grows down from there.
  static char* top_of(unsigned index) {
    constexpr std::uintptr_t kGap = 4096;  // bytes that belong to no stack
    return reinterpret_cast<char*>(kBegin + (index + std::uintptr_t{1}) * kSizeOfPart - kGap);
  }
};

}  // namespace hocket::unmodified
