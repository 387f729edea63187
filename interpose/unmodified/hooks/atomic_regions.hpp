// Atomics of several sizes in the same memory: a word and its halves, sixteen bytes and the two words in
// them.
//
// What overlaps is one region, and all operations there touch the region's parts beside their own cells: so
// they depend on each other, and what one of them finds follows from what all have written. Atomics that lie
// beside each other and that nothing overlaps have no region, and stay independent.
//
// Which sizes there are shows only when the program runs, and what an operation touches must be the same in
// all executions of a search. So regions are remembered by the stable names of their memory. Where an
// execution shows one that was not known, what was found before it does not hold, and the search begins anew:
// found_any_new(). What is known only grows, within what the program has of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "../memory/address_map.hpp"
#include "../shadow/cells.hpp"
#include "memory_parts.hpp"

namespace hocket::unmodified {

/// In one execution.
struct AtomicRegion {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::size_t first_part;  ///< in AtomicRegions
  std::size_t parts;
};

class AtomicRegions {
 public:
  /// At the beginning of a search that knows nothing yet.
  void clear();
  /// At the beginning of an execution.
  void begin();

  /// Before the first atomic operation on `cell` in this execution: finds its region, if it has one.
  [[gnu::noinline]] void enter(Cell& cell);

  /// Whether a region that was not known has been found since the last call.
  bool found_any_new();

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
  /// What atomics have been seen to lie in, as far as it reaches into a granule. It is relative to the
  /// granule's beginning and may begin before that.
  struct Known {
    std::int64_t begin;
    std::int64_t end;
    bool is_mixed;  ///< of several sizes; otherwise it is one atomic
  };
  struct Granule {
    std::uint64_t key = 0;
    std::vector<Known>* known = nullptr;
  };

  Granule& granule_of(std::uintptr_t address);
  bool note(Extent& extent);
  bool put(const Extent& extent, bool is_mixed);
  AtomicRegion& region_of(const Extent& extent);

  std::unordered_map<std::uint64_t, std::vector<Known>> known_;  ///< by the stable names of granules
  std::uint32_t changes_ = 1;  ///< how often something has changed that was known before
  bool found_new_ = false;
  // -- in this execution
  AddressMap<Granule> granules_;
  AddressMap<AtomicRegion*> by_begin_;
  Pool<AtomicRegion> regions_;
  Pool<MemoryPart> made_parts_;
  std::vector<runtime::Object*> parts_;
};

AtomicRegions& atomic_regions();

/// While one lives, what the current thread does to an atomic it does as well to what that shares with
/// others: to the parts of its region, or, where plain accesses are steps, to the words that it lies in.
class TouchesShared {
 public:
  explicit TouchesShared(const Cell& atomic) : does_(atomic.has(Cell::kIsShared)) {
    if (does_) [[unlikely]]
      add(atomic);
  }
  ~TouchesShared() {
    if (does_) [[unlikely]]
      runtime::execution.current->parts_touched.clear();
  }
  TouchesShared(const TouchesShared&) = delete;
  TouchesShared& operator=(const TouchesShared&) = delete;

 private:
  [[gnu::noinline]] static void add(const Cell& atomic);
  bool does_;
};

/// Before an operation on `cell`, if it is in a region: a thread that reads what one of its atomics has
/// written is ordered after that.
void unite_order_of(Cell& cell);

}  // namespace hocket::unmodified
