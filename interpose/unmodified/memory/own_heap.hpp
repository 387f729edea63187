// The memory that Hocket itself allocates in a program whose searches run each execution in a child process:
// a heap that processes can share.
//
// In other programs Hocket's memory comes from libc. Once this heap is open, it is used for the rest of the
// process, because it holds the data that one search leaves for the next. It is shared while such a search
// runs. At other times a process forked by the program gets its own copy, as of all other memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket::unmodified {

class OwnHeap {
 public:
  static constexpr std::uintptr_t kBegin = 0x310000000000U;
  static constexpr std::size_t kSize = std::size_t{1} << 36U;

  static bool contains(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) - kBegin < kSize;
  }

  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Throws std::system_error if the system does not provide the addresses.
  void open();

  /// From now on, processes that this one creates share the memory.
  void share();
  /// From now on, they get a copy.
  void unshare();

  /// A process that shares the memory has ended, perhaps in the middle of a call of this class. From now on
  /// blocks come from addresses that it has not used, and no earlier one is released.
  void leave_to_the_dead();

  /// Returns nullptr if no memory is left. `alignment` is a power of two. This function and release() may be
  /// called by any thread.
  void* allocate(std::size_t size, std::size_t alignment);
  void release(void* memory);
  [[nodiscard]] static std::size_t size_of(const void* memory);

 private:
  static void remap(int kind);

  bool is_open_ = false;
};

extern constinit OwnHeap own_heap;

}  // namespace hocket::unmodified
