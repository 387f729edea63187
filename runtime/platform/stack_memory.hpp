// Memory for the stacks of fibers: page-aligned, with an inaccessible page at the low end.
#pragma once

#include <cstddef>

namespace hocket::runtime::platform {

/// One stack. The caller of map_stack owns it and gives it back with unmap_stack.
struct StackMemory {
  char* guard = nullptr;   ///< lowest address: the guard page
  char* bottom = nullptr;  ///< lowest usable address
  char* top = nullptr;     ///< one past the highest usable address

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(top - bottom); }
  [[nodiscard]] bool guards(const void* address) const {
    const auto* at = static_cast<const char*>(address);
    return at >= guard && at < bottom;
  }
};

/// Maps a stack of at least `bytes` usable bytes, which ends at `top` if that is not nullptr and the
/// addresses are free. Memory is committed on first use. Throws std::system_error when the system has no more
/// memory.
StackMemory map_stack(std::size_t bytes, void* top = nullptr);

void unmap_stack(StackMemory& stack);

}  // namespace hocket::runtime::platform
