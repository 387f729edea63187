#include "atomic_regions.hpp"

#include <algorithm>
#include <utility>

#include "../../../runtime/diagnosis/trace.hpp"
#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/execution.hpp"
#include "../naming/address_names.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;

using runtime::run;

constexpr std::uint64_t kMark = 0x726567696f6eU;  ///< distinguishes a part from a cell at the same address
constexpr std::uintptr_t kPart = 8;               ///< the largest part, in bytes

}  // namespace

AtomicRegions& atomic_regions() {
  static auto* const all = new AtomicRegions;
  return *all;
}

void AtomicRegions::clear() {
  known_.clear();
  ++changes_;
  found_new_ = false;
}

void AtomicRegions::begin() {
  granules_.clear();
  by_begin_.clear();
  regions_.clear();
  made_parts_.clear();
  parts_.clear();
}

bool AtomicRegions::take_any_new() {
  return std::exchange(found_new_, false);
}

// The name is computed once in each execution, because some memory is named only by its first use.
AtomicRegions::Granule& AtomicRegions::granule_of(std::uintptr_t address) {
  Granule& granule = granules_.insert(address / Cells::kGranule);
  if (granule.known == nullptr) {
    granule.key = key_of(address / Cells::kGranule * Cells::kGranule);
    granule.known = &known_[granule.key];
  }
  return granule;
}

// Extends `extent`, which is that of one atomic, to everything that overlaps it directly or through others.
// Returns whether anything overlaps it.
bool AtomicRegions::note(Extent& extent) {
  const Extent atomic = extent;
  bool is_mixed = false;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::uintptr_t granule = extent.begin / Cells::kGranule; granule * Cells::kGranule < extent.end;
         ++granule) {
      const std::uintptr_t base = granule * Cells::kGranule;
      for (const Known& known : *granule_of(base).known) {
        const Extent other{
            base + static_cast<std::uintptr_t>(known.begin), base + static_cast<std::uintptr_t>(known.end)};
        if (!other.overlaps(extent)) continue;
        is_mixed |= known.is_mixed || other != atomic;
        const Extent both{std::min(extent.begin, other.begin), std::max(extent.end, other.end)};
        grows |= both != extent;
        extent = both;
      }
    }
  }
  if (put(extent, is_mixed)) {
    ++changes_;
    found_new_ = true;
  }
  return is_mixed;
}

// Returns whether the new range replaces another one.
bool AtomicRegions::put(const Extent& extent, bool is_mixed) {
  bool is_change = false;
  for (std::uintptr_t granule = extent.begin / Cells::kGranule; granule * Cells::kGranule < extent.end;
       ++granule) {
    const std::uintptr_t base = granule * Cells::kGranule;
    const Known fresh{static_cast<std::int64_t>(extent.begin - base),
        static_cast<std::int64_t>(extent.end - base), is_mixed};
    std::vector<Known>& known = *granule_of(base).known;
    const auto is_inside = [&](const Known& old) { return old.begin < fresh.end && fresh.begin < old.end; };
    const auto is_same = [&](const Known& old) {
      return old.begin == fresh.begin && old.end == fresh.end && old.is_mixed == fresh.is_mixed;
    };
    if (std::any_of(known.begin(), known.end(), is_same)) continue;
    is_change |= std::erase_if(known, is_inside) != 0;
    known.push_back(fresh);
  }
  return is_change;
}

AtomicRegion& AtomicRegions::region_of(const Extent& extent) {
  AtomicRegion*& known = by_begin_.insert(extent.begin);
  if (known != nullptr && known->end == extent.end) return *known;
  known = &regions_.make(AtomicRegion{extent.begin, extent.end, parts_.size(), 0});
  for (std::uintptr_t at = extent.begin; at < extent.end; at += kPart) {
    const auto size = static_cast<std::uint32_t>(std::min(kPart, extent.end - at));
    const std::uint64_t place = (at % Cells::kGranule) << 32U | size;
    parts_.push_back(
        &made_parts_.make(at, size, runtime::mix(runtime::mix(granule_of(at).key, kMark), place)));
    ++known->parts;
  }
  return *known;
}

void AtomicRegions::enter(Cell& cell) {
  cell.find_key();
  cell.flags |= Cell::kIsAtomic;
  if (run.options.plain_steps) cell.flags |= Cell::kIsShared;
  const runtime::OwnMemory own;
  if (run.recording) {
    // What "latch.wait" uses for the first time is a latch.
    const std::string function = run.trace()->function_of(*run.current);
    const std::string kind = function.empty() ? "atomic" : function.substr(0, function.find('.'));
    run.trace()->object_found(cell, cell.address, 0, name_of_found(kind, cell.address));
  }
  if (cell.alone_as == cell.key && cell.alone_at == changes_) return;  // alone, as in an earlier execution
  Extent extent{cell.address, cell.address + cell.size};
  if (!note(extent)) {
    cell.alone_as = cell.key;
    cell.alone_at = changes_;
    return;
  }
  const AtomicRegion& region = region_of(extent);
  cells().for_each_in(extent.begin, extent.end - extent.begin, [&](Cell& other) {
    if (!other.has(Cell::kIsAtomic)) return;
    other.region = &region;  // even if it was thought to be alone
    other.flags |= Cell::kIsShared;
  });
  run.raise_attention(runtime::Attention::to_all);  // otherwise the parts would not be noticed
}

void TouchesShared::add(const Cell& atomic) {
  if (run.options.plain_steps) {
    TouchesWords::add(atomic.address, atomic.size);
    return;
  }
  const runtime::OwnMemory own;
  const std::span<runtime::Object* const> parts = atomic_regions().parts_of(*atomic.region);
  std::vector<runtime::Object*>& touched = run.current->instrumented.parts_touched;
  touched.insert(touched.end(), parts.begin(), parts.end());
}

void unite_order_of(Cell& cell) {
  if (cell.region == nullptr) return;
  const AtomicRegion& region = *cell.region;
  cells().for_each_in(region.begin, region.end - region.begin, [&](Cell& other) {
    if (&other != &cell && other.has(Cell::kIsAtomic)) execution.races.unite_order(cell, other);
  });
}

}  // namespace hocket::unmodified
