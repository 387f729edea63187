#include "recorded_objects.hpp"

#include <algorithm>
#include <cassert>

namespace hocket::graph {

namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

// The slot that holds the key in this execution, or the empty one where it belongs.
RecordedObjects::Slot& RecordedObjects::slot_of(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = key & mask;
  while (slots_[at].execution == execution_ && slots_[at].key != key) at = (at + 1) & mask;
  return slots_[at];
}

void RecordedObjects::grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), {});
  for (std::uint32_t n = 0; n < used_; ++n) slot_of(objects_[n].key) = {objects_[n].key, execution_, n};
}

std::uint32_t RecordedObjects::number(const runtime::Object& object) {
  if (slots_.size() < (used_ + 1) * std::size_t{2}) grow();
  Slot& slot = slot_of(object.key);
  if (slot.execution == execution_) {
    assert(objects_[slot.number].kind == object.kind);
    return slot.number;
  }
  slot = {object.key, execution_, used_};
  if (used_ == objects_.size()) objects_.emplace_back();
  RecordedObject& fresh = objects_[used_];
  fresh.key = object.key;
  fresh.object = &object;
  fresh.kind = object.kind;
  fresh.writes.clear();
  fresh.states.assign(1, object.kind->fingerprint != nullptr ? object.kind->fingerprint(object) : 0);
  fresh.sections.assign(1, object.kind->sections != nullptr ? object.kind->sections(object) : 0);
  fresh.write_clock = kNone;
  fresh.reads_clock = kNone;
  fresh.destroyed_at = kNone;
  return used_++;
}

}  // namespace hocket::graph
