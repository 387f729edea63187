// The memory that the program allocates outside searches: during static initialisation, in main(), in
// ordinary tests.
//
// It is at a fixed address. So its contents at the beginning of a search can be restored (outer_pages()), and
// the same blocks have the same addresses in every process. While a search runs, no block is allocated from
// it or returned to it. All bookkeeping is outside of it. Usable by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap_space.hpp"
#include "watched_pages.hpp"

namespace hocket::unmodified {

class OuterHeap {
 public:
  static constexpr std::uintptr_t kBegin = HeapSpace::kBegin;
  static constexpr std::uintptr_t kEnd = HeapSpace::kBeginOfParts;

  static bool contains(std::uintptr_t address) { return address - kBegin < kEnd - kBegin; }
  static bool contains(const void* memory) { return contains(reinterpret_cast<std::uintptr_t>(memory)); }

  struct Block {
    std::uintptr_t address = 0;
    std::size_t size = 0;  ///< bytes, as requested
  };

  /// `alignment` is a power of two. Returns nullptr where the system's heap has to be used instead: before
  /// the library is ready, for very large requests or alignments, and when no memory is left.
  void* allocate(std::size_t size, std::size_t alignment, bool zeroed);
  /// Frees a block. Ends the process with a message if `memory` is not a block in use.
  void release(void* memory);

  /// The block in use whose slot contains the address, which may be after the block's end; {} if there is
  /// none.
  [[nodiscard]] Block find(std::uintptr_t address) const;
  /// The first address that has never been part of a slot.
  [[nodiscard]] std::uintptr_t used_end() const { return next_.load(std::memory_order_acquire); }

  /// Reserves all addresses, or as many as the system allows (ulimit -v).
  void open();
  void lock();
  void unlock() { is_locked_.clear(std::memory_order_release); }

 private:
  bool open(std::size_t size);

  static constexpr std::size_t kSpan = std::size_t{64} * 1024;
  static constexpr unsigned kClasses = 128;

  /// Slots of one size. The unused ones are contiguous.
  struct Class {
    std::uintptr_t fresh = 0;
    std::uintptr_t fresh_end = 0;
    std::uint64_t free = 0;  ///< the number of the first free slot, or 0
  };

  static unsigned class_of(std::size_t units);
  static std::size_t slot_of(unsigned size_class);
  /// The record of the slot that begins at the address: kInUse and the block's size, or the number of the
  /// next free slot.
  [[nodiscard]] std::uint64_t& record_of(std::uintptr_t slot) const;
  [[nodiscard]] std::uintptr_t slot_around(std::uintptr_t address) const;
  std::uintptr_t take_slot(unsigned size_class);
  bool refill(Class& slots, unsigned size_class);

  std::atomic_flag is_locked_;
  std::uintptr_t end_ = kBegin;               ///< of the addresses that are reserved
  std::atomic<std::uintptr_t> next_{kBegin};  ///< the first span that is not taken
  std::array<Class, kClasses> classes_{};
  std::uint64_t* records_ = nullptr;
  /// For each span: its class, and the number of spans of the same slot that come before it.
  std::uint32_t* spans_ = nullptr;
};

OuterHeap& outer_heap();

/// The pages of the outer heap that are in use when a search begins. They are restored before each execution.
WatchedPages& outer_pages();

}  // namespace hocket::unmodified
