// The objects of an execution, by their numbers in it, with the history of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../runtime/objects/object.hpp"
#include "vector_clocks.hpp"

namespace hocket::graph {

/// An event, by its thread and its position among the events of the thread, from 1.
struct EventName {
  unsigned thread;
  EventCount count;
};

struct RecordedObject {
  std::uint64_t key = 0;  ///< its name, stable across executions
  const runtime::Object* object = nullptr;
  const runtime::ObjectKind* kind = nullptr;
  std::vector<EventName> writes;            ///< indexed by version - 1
  std::vector<std::uint64_t> states;        ///< ObjectKind::fingerprint, indexed by version
  std::vector<std::uint64_t> sections;      ///< for a lock: ObjectKind::sections, indexed by version
  VectorClocks::Place write_clock = kNone;  ///< of the last write
  VectorClocks::Place reads_clock = kNone;  ///< of all reads since then, joined
  std::uint32_t destroyed_at = kNone;       ///< the version at which it is gone
};

class RecordedObjects {
 public:
  /// A new execution begins: no object is known.
  void begin() {
    ++execution_;
    used_ = 0;
  }

  /// The number of an object in this execution, a new one if the object is not known yet.
  std::uint32_t number(const runtime::Object& object);

  [[nodiscard]] std::uint32_t size() const { return used_; }
  [[nodiscard]] RecordedObject& operator[](std::uint32_t number) { return objects_[number]; }
  [[nodiscard]] const RecordedObject& operator[](std::uint32_t number) const { return objects_[number]; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t execution = 0;  ///< in which the slot was filled; the slot is empty in any other one
    std::uint32_t number = 0;
  };

  [[nodiscard]] Slot& slot_of(std::uint64_t key);
  void grow();

  std::vector<RecordedObject> objects_;  ///< those beyond `used_` are of earlier executions
  std::uint32_t used_ = 0;
  std::vector<Slot> slots_;  ///< a hash table with linear probing
  std::uint32_t execution_ = 0;
};

}  // namespace hocket::graph
