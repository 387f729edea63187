#include "outer_maps.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <sys/mman.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/platform/spin_lock.hpp"
#include "../../../runtime/terms/action_hash.hpp"
#include "../../../runtime/terms/sabotage.hpp"
#include "../host/next_symbol.hpp"
#include "../memory/outer_heap.hpp"
#include "kept_states.hpp"
#include "shared_maps.hpp"
#include "snapshot.hpp"

namespace hocket::unmodified {

namespace {

constexpr std::size_t kMostRestored = std::size_t{256} << 20U;

struct OuterMap {
  AddressRange range;
  std::uint64_t number;   ///< of the mapping of which this is what is left
  std::uintptr_t origin;  ///< where that began
};

struct OuterMaps {
  std::vector<OuterMap> all;
  std::uint64_t count = 0;                ///< mappings so far
  std::vector<AddressRange> protections;  ///< what the running execution may have made read-only
};

// Not a local static: a body may be the first to call this, and the guard would then be the body's.
constinit OuterMaps* all_maps = nullptr;

/// A lock is needed because threads that are not controlled may map memory at any time.
using Lock = runtime::platform::SpinLock<OuterMaps>;

OuterMaps& maps() {
  if (all_maps == nullptr) all_maps = new OuterMaps;
  return *all_maps;
}

/// In whole pages.
AddressRange range_of(const void* memory, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  constexpr std::uintptr_t kPage = WatchedPages::kPage;
  return {begin / kPage * kPage, (begin + size + kPage - 1) / kPage * kPage};
}

AddressRange common_part(AddressRange one, AddressRange other) {
  return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}

/// Calls `visit` for the parts of this process's memory that it can read and write, by their addresses.
template <class Visit>
void for_each_writable_mapping(Visit visit) {
  std::FILE* const file = HOCKET_REAL(fopen)("/proc/self/maps", "re");
  if (file == nullptr) return;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char access[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3 && access[0] == 'r' && access[1] == 'w')
      visit(AddressRange{begin, end});
  }
  HOCKET_REAL(fclose)(file);
}

}  // namespace

void note_outer_map(const void* memory, std::size_t size) {
  const runtime::OwnMemory own;
  const Lock lock;
  const AddressRange range = range_of(memory, size);
  maps().all.push_back({range, ++maps().count, range.begin});
}

void forget_outer_map(const void* memory, std::size_t size) {
  if (all_maps == nullptr) return;
  const runtime::OwnMemory own;
  const Lock lock;
  const AddressRange gone = range_of(memory, size);
  std::vector<OuterMap> left;
  for (const OuterMap& map : maps().all) {
    const AddressRange before{map.range.begin, std::min(map.range.end, gone.begin)};
    const AddressRange after{std::max(map.range.begin, gone.end), map.range.end};
    if (before.begin < before.end) left.push_back({before, map.number, map.origin});
    if (after.begin < after.end) left.push_back({after, map.number, map.origin});
  }
  maps().all = std::move(left);
}

bool is_in_outer_map(const void* memory) {
  return key_in_outer_map(reinterpret_cast<std::uintptr_t>(memory)) != 0;
}

std::uint64_t key_in_outer_map(std::uintptr_t address) {
  if (all_maps == nullptr) return 0;
  const Lock lock;
  const std::vector<OuterMap>& all = maps().all;
  const auto at = std::find_if(all.begin(), all.end(),
      [address](const OuterMap& map) { return address >= map.range.begin && address < map.range.end; });
  return at == all.end() ? 0 : runtime::mix(at->number, address - at->origin);
}

std::vector<AddressRange> writable_outer_maps() {
  if (all_maps == nullptr || runtime::is_sabotaged(runtime::Sabotage::pages_stay_changed)) return {};
  std::vector<AddressRange> ranges;
  {
    const Lock lock;
    for (const OuterMap& map : maps().all) ranges.push_back(map.range);
  }
  std::vector<AddressRange> found;
  if (ranges.empty()) return found;
  for_each_writable_mapping([&](const AddressRange& mapping) {
    for (const AddressRange& range : ranges) {
      const AddressRange part = common_part(range, mapping);
      if (part.begin < part.end && part.end - part.begin <= kMostRestored) found.push_back(part);
    }
  });
  return found;
}

void note_protection(void* memory, std::size_t size) {
  if (!is_to_be_undone()) return;
  // A page that was read-only until written could not be told from one that the body has made read-only.
  WatchedPages::will_be_written(memory, size);
  const runtime::OwnMemory own;
  maps().protections.push_back(range_of(memory, size));
}

void put_protections_back() {
  if (all_maps == nullptr || all_maps->protections.empty()) return;
  std::vector<AddressRange> restored{{OuterHeap::kBegin, outer_heap().used_end()}};
  for (const AddressRange& range : restored_shared_maps()) restored.push_back(range);
  for (const SavedData& saved : saved_data())
    restored.push_back(range_of(reinterpret_cast<const void*>(saved.address), saved.bytes.size()));
  for (const AddressRange& changed : all_maps->protections) {
    for (const AddressRange& range : restored) {
      const AddressRange part = common_part(changed, range);
      if (part.begin < part.end) {
        HOCKET_REAL(mprotect)
        (reinterpret_cast<void*>(part.begin), part.end - part.begin, PROT_READ | PROT_WRITE);
      }
    }
  }
  all_maps->protections.clear();
}

}  // namespace hocket::unmodified
