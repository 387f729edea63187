// Atomics of several sizes in the same memory, such as a word and its halves, or sixteen bytes and the two
// words in them.
//
// Atomics that overlap form one region. Every operation in a region touches the region's parts in addition to
// its own cell. So the operations depend on each other, and what one of them finds follows from what all of
// them have written. Adjacent atomics that nothing overlaps have no region and stay independent.
//
// Which sizes occur is seen only when the program runs, but what an operation touches must be the same in all
// executions of a search. Regions are therefore remembered by the stable names of their memory. When an
// execution reveals a new region, earlier findings are invalid and the search starts again: see
// take_any_new(). The set of known regions only grows, and the program's memory limits it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "../memory/address_map.hpp"
#include "../shadow/cells.hpp"
#include "../shadow/memory_words.hpp"
#include "memory_parts.hpp"

namespace hocket::unmodified {

/// A region, as it exists in one execution.
struct AtomicRegion {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::size_t first_part;  ///< its index in AtomicRegions::parts_
  std::size_t parts;
};

class AtomicRegions {
 public:
  /// Called at the beginning of a search that knows nothing yet.
  void clear();
  /// Called at the beginning of an execution.
  void begin();

  /// To be called before the first atomic operation on `cell` in this execution: finds its region, if it has
  /// one.
  [[gnu::noinline]] void enter(Cell& cell);

  /// Whether a new region has been found since the last call.
  [[nodiscard]] bool take_any_new();

  [[nodiscard]] std::span<runtime::Object* const> parts_of(const AtomicRegion& region) const {
    return std::span(parts_).subspan(region.first_part, region.parts);
  }

 private:
  struct Extent {
    std::uintptr_t begin;
    std::uintptr_t end;
    friend bool operator==(const Extent&, const Extent&) = default;
    [[nodiscard]] bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
  };
  /// A range in which atomics have been seen and that overlaps a granule. It is relative to the granule's
  /// beginning and may begin before it.
  struct Known {
    std::int64_t begin;
    std::int64_t end;
    bool is_mixed;  ///< contains atomics of several sizes; otherwise it is one atomic
  };
  struct Granule {
    std::uint64_t key = 0;
    std::vector<Known>* known = nullptr;
  };

  Granule& granule_of(std::uintptr_t address);
  bool note(Extent& extent);
  bool put(const Extent& extent, bool is_mixed);
  AtomicRegion& region_of(const Extent& extent);

  std::unordered_map<std::uint64_t, std::vector<Known>> known_;  ///< by the granules' stable names
  std::uint32_t changes_ = 1;                                    ///< how often something known has changed
  bool found_new_ = false;
  // -- Valid in this execution only
  AddressMap<Granule> granules_;
  AddressMap<AtomicRegion*> by_begin_;
  Pool<AtomicRegion> regions_;
  Pool<MemoryPart> made_parts_;
  std::vector<runtime::Object*> parts_;
};

AtomicRegions& atomic_regions();

/// While such an object exists, each operation of the current thread on an atomic also applies to what that
/// atomic shares with others: to the parts of its region or, where plain accesses are steps, to the words it
/// lies in.
class TouchesShared {
 public:
  explicit TouchesShared(const Cell& atomic) : does_(atomic.has(Cell::kIsShared)) {
    if (does_) [[unlikely]]
      add(atomic);
  }
  ~TouchesShared() {
    if (does_) [[unlikely]]
      runtime::run.current->instrumented.parts_touched.clear();
  }
  TouchesShared(const TouchesShared&) = delete;
  TouchesShared& operator=(const TouchesShared&) = delete;

 private:
  [[gnu::noinline]] static void add(const Cell& atomic);
  bool does_;
};

/// Calls `visit(part)` for each piece of memory that an operation on `cell` touches in addition to it.
template <class Visit>
void for_each_part_of(const Cell& cell, Visit&& visit) {
  if (runtime::run.options.plain_steps) {
    for (std::uintptr_t at = cell.address / kWord * kWord; at < cell.address + cell.size; at += kWord)
      visit(static_cast<MemoryPart&>(word_at(at)));
  } else if (cell.region != nullptr) {
    for (runtime::Object* const part : atomic_regions().parts_of(*cell.region))
      visit(static_cast<MemoryPart&>(*part));
  }
}

/// To be called before an operation on `cell`. If the cell is in a region: a thread that reads what one
/// atomic of the region has written is ordered after that write.
void unite_order_of(Cell& cell);

}  // namespace hocket::unmodified
