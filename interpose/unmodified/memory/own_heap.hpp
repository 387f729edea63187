// What Hocket itself allocates in a program that searches with a child process for each execution: a heap
// that processes can share.
//
// Elsewhere Hocket's memory comes from libc. Once open this heap serves for the rest of the process, so that
// what one search leaves for the next is in it. It is shared while such a search runs; at other times a
// process that the program forks has its own, as of everything else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket::unmodified {

class OwnHeap {
 public:
  static constexpr std::uintptr_t kBegin = 0x280000000000U;
  static constexpr std::size_t kSize = std::size_t{1} << 36U;

  static bool contains(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) - kBegin < kSize;
  }

  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Throws std::system_error when the system does not give the addresses.
  void open();

  /// From here on processes that this one makes have the same memory.
  void share();
  /// From here on they have a copy.
  void unshare();

  /// nullptr when there is no more. `alignment` is a power of two. For any thread, as the next.
  void* allocate(std::size_t size, std::size_t alignment);
  void release(void* memory);
  [[nodiscard]] static std::size_t size_of(const void* memory);

 private:
  static void remap(int kind);

  bool is_open_ = false;
};

extern constinit OwnHeap own_heap;

}  // namespace hocket::unmodified
