// The memory that bodies allocate. Each logical thread has a heap of its own, which is at the same address in
// every execution and empty at its beginning.
//
// Within an execution, freed memory is not given out again. So the address of a block identifies the thread
// that allocated it and the number of bytes which that thread had allocated before; this is the same in every
// schedule. An access to a freed block can also be recognised as such.
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
    runtime::Where made_at{};  ///< known in recorded executions only, as is the next
    runtime::Where freed_at{};
  };
  /// An address in the heap as a position: block number n among those that the thread with this index
  /// allocated.
  struct Location {
    unsigned thread = 0;
    std::size_t number = 0;     ///< from 1; 0: before the first block of this execution
    std::ptrdiff_t offset = 0;  ///< bytes from the block's beginning; at or above its size: after it
    const Block* block = nullptr;
  };

  /// Empties the heap, except for the blocks left by executions that kept their memory; if `keeps_memory`,
  /// the blocks that the last execution left are kept, too. Called at the beginning of an execution.
  void begin(bool keeps_memory);
  /// Like begin(), for an execution in a process of its own in which nothing has been allocated yet.
  void begin_untouched();
  /// After a child process has ended: reserves the addresses here that it had reserved.
  void reserve_as_child_did();

  /// `size` zeroed bytes for the current thread, or nullptr if the system has no addresses for them. Fails
  /// the execution if it has allocated so much that Hocket has none.
  void* allocate(std::size_t size, std::size_t alignment);
  /// Frees a block. Fails the execution if `memory` is not a block in use, here or in the outer heap. A block
  /// of the outer heap is in use again in the next execution. Ignored outside a body.
  void release(void* memory);
  /// The number of bytes that were requested; 0 if there is no such block.
  std::size_t size_of(const void* memory);

  /// To be called before an access in this heap or the outer one. Fails the execution if the bytes do not all
  /// belong to one block in use. `does`: the verb for the message, such as "reads".
  [[gnu::always_inline]] void check(std::uintptr_t address, std::size_t size, const char* does) {
    const std::uint8_t* const state = HeapSpace::state_of(address);
    const std::size_t in_unit = address % kUnit;
    if (in_unit + size <= kUnit && in_unit + size <= *state) [[likely]]
      return;
    check_slowly(address, size, does);
  }

  /// To be called before an operation on an object that begins at the address. `what`: for example "a mutex".
  void check_object(std::uintptr_t address, const char* what) {
    if (*HeapSpace::state_of(address) == HeapSpace::kFreed) fail(std::string("uses ") + what, address);
  }

  /// The distance of the address from the beginning of the memory that its thread has allocated in this
  /// execution. No value for memory that an earlier execution has left.
  [[nodiscard]] std::optional<std::uintptr_t> distance_of(std::uintptr_t address) const;
  [[nodiscard]] Location locate(std::uintptr_t address) const;
  /// The first block that begins after the address in the same thread's heap, or nullptr.
  [[nodiscard]] const Block* block_behind(std::uintptr_t address) const;

 private:
  static constexpr std::size_t kUnit = HeapSpace::kUnit;

  /// The heap of one thread.
  struct Part {
    std::uintptr_t next = 0;    ///< the first address not given out yet; 0: not mapped yet
    std::vector<Block> blocks;  ///< in the order of their addresses
    std::uintptr_t first = 0;   ///< where this execution's memory begins; before it is kept memory
    std::size_t kept = 0;       ///< number of blocks that earlier executions have left
    std::uintptr_t mapped_end = 0;
    std::uintptr_t mapped_by_child_from =
        0;  ///< what follows is reserved in a child process only; 0: nothing
  };

  void* allocate_block(std::size_t size, std::size_t alignment);
  /// Reserves addresses of the part for `size` bytes more, if there are any.
  static bool map_more(unsigned thread, Part& part, std::size_t size);
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
