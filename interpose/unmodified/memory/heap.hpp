// The memory that bodies allocate: a heap for each logical thread, at the same address in every execution and
// empty when one begins.
//
// Within an execution memory that was freed is not given out again. So the address of a block tells which
// thread made it and how many bytes that had allocated before, the same under every schedule; and an access
// to a freed block is known for what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../../runtime/terms/where.hpp"
#include "heap_space.hpp"

namespace hocket::unmodified {

class Heap {
 public:
  static constexpr std::uintptr_t kBegin = HeapSpace::kBeginOfParts;
  static constexpr std::uintptr_t kSizeOfPart = HeapSpace::kSizeOfPart;
  static constexpr std::uintptr_t kEnd = HeapSpace::kEnd;

  static bool contains(std::uintptr_t address) { return address - kBegin < kEnd - kBegin; }

  struct Block {
    std::uintptr_t address = 0;
    std::size_t size = 0;  ///< bytes
    bool is_freed = false;
    unsigned freed_by = 0;     ///< index of the thread
    runtime::Where made_at{};  ///< known in recorded executions, as the next
    runtime::Where freed_at{};
  };
  /// An address in the heap, as its owner counts: the n-th block that the thread with this index made.
  struct Location {
    unsigned thread = 0;
    std::size_t number = 0;     ///< from 1; 0: before the first block of this execution
    std::ptrdiff_t offset = 0;  ///< bytes from the block's beginning; not below its size: behind it
    const Block* block = nullptr;
  };

  /// Empties it, but for the blocks that executions have left which kept their memory, and if `keeps_memory`
  /// of those that the last one has left; at the beginning of an execution.
  void begin(bool keeps_memory);
  /// As begin(), in a process of its own in which nothing has been allocated yet.
  void begin_untouched();
  /// After a child process: reserves here what it has reserved.
  void reserve_as_child_did();

  /// `size` bytes for the current thread, or nullptr when there are no more. All are zero.
  void* allocate(std::size_t size, std::size_t alignment);
  /// Fails the execution if `memory` is no block that is in use, here or in the outer heap, whose blocks live
  /// again in the next execution. Ignored outside a body.
  void release(void* memory);
  /// The bytes that were asked for; 0 if there is no such block.
  std::size_t size_of(const void* memory);

  /// Before an access in a heap, this or the outer one: fails the execution if the bytes are not all of one
  /// block in use. `does`: what the thread does to them, as in "reads".
  [[gnu::always_inline]] void check(std::uintptr_t address, std::size_t size, const char* does) {
    const std::uint8_t* const state = HeapSpace::state_of(address);
    const std::size_t in_unit = address % kUnit;
    if (in_unit + size <= kUnit && in_unit + size <= *state) [[likely]]
      return;
    check_slowly(address, size, does);
  }

  /// Before an operation on an object that begins at the address, "a mutex".
  void check_object(std::uintptr_t address, const char* what) {
    if (*HeapSpace::state_of(address) == HeapSpace::kFreed) fail(std::string("uses ") + what, address);
  }

  /// How far into what its thread has allocated in this execution the address lies; none where an earlier one
  /// has left it.
  [[nodiscard]] std::optional<std::uintptr_t> distance_of(std::uintptr_t address) const;
  [[nodiscard]] Location locate(std::uintptr_t address) const;
  /// The block that begins behind the address, in the same thread's heap, or nullptr.
  [[nodiscard]] const Block* block_behind(std::uintptr_t address) const;

 private:
  static constexpr std::size_t kUnit = HeapSpace::kUnit;

  /// The heap of one thread.
  struct Part {
    std::uintptr_t next = 0;    ///< the first address that is not given out; 0: not mapped yet
    std::vector<Block> blocks;  ///< in the order of their addresses
    std::uintptr_t first = 0;   ///< where the memory of this execution begins; before it lies what is kept
    std::size_t kept = 0;       ///< blocks that earlier executions have left
    bool is_of_child = false;   ///< reserved in a child process only
  };

  void* allocate_block(std::size_t size, std::size_t alignment);
  static bool map(unsigned thread, Part& part);
  static void keep_what_is_in_use(unsigned thread, Part& part);
  Block* block_at(std::uintptr_t address);
  [[gnu::cold]] void check_slowly(std::uintptr_t address, std::size_t size, const char* does);
  void fail(std::string what, std::uintptr_t address);

  std::vector<Part> parts_;
};

/// The heap of the running execution.
extern constinit Heap* the_heap;
void make_heap();
[[gnu::always_inline]] inline Heap& heap() {
  if (the_heap == nullptr) [[unlikely]]
    make_heap();
  return *the_heap;
}

}  // namespace hocket::unmodified
