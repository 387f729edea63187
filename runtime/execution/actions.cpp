#include "actions.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <vector>

#include "../diagnosis/trace.hpp"
#include "../terms/sabotage.hpp"
#include "../terms/semantics.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"
#include "reads_since_yield.hpp"

namespace hocket::runtime {

void Actions::act_alone(Operation operation, std::uint64_t outcome) {
  hash.add(current->next_action, outcome_word(operation, outcome));
  current->next_action += kActionStride;
}

void Actions::attend_to_all(Object& object, Operation operation, Access access, std::memory_order order) {
  assert(is_as_stated(object, operation, access));
  const OwnMemory own;
  if (looks_for_races_) {
    const void* const code = current->caller != nullptr ? current->caller : __builtin_return_address(0);
    const Race* const race =
        races_->acted(*current, object, synchronization_of(object, operation, access), order, code);
    const bool has_failed = race != nullptr && fail_by_race(*race);
    if (!has_failed && recording) record_order(object, operation, access, order, code);
  }
  attend_beyond_order(object, access, object.version);
}

void Actions::attend_to_store(
    Object& object, Operation operation, Access access, std::memory_order order, const StoreAccess& store) {
  assert(is_as_stated(object, operation, access));
  const void* const code = current->caller != nullptr ? current->caller : __builtin_return_address(0);
  const Race* const race = races_->acted(
      *current, object, synchronization_of(object, operation, access), order, code, store.from, store.to);
  const bool has_failed = race != nullptr && fail_by_race(*race);
  if (!has_failed && recording) record_order(object, operation, access, order, code);
  if (recording && order != std::memory_order_seq_cst) options_.trace->order(order_name(order));
  // A thread that waits until what it has seen is no longer the newest value need not wait.
  attend_beyond_order(object, access, object.version - (store.is_older ? 1 : 0));
}

void Actions::attend_beyond_order(Object& object, Access access, std::uint32_t version) {
  Thread& self = *current;
  if (options_.observer != nullptr) options_.observer->acted(object, access);
  if (!self.parts_touched.empty() && &object != &cold_state_->clock) act_on_parts(self, access);
  if (self.is_evaluating) {
    const auto known = std::find_if(self.awaited.begin(), self.awaited.end(),
        [&](const Thread::Read& read) { return read.object == &object; });
    if (known == self.awaited.end()) {
      self.awaited.push_back({&object, version});
    } else if ((access == Access::write && known->version + 1 == version) ||
               is_sabotaged(Sabotage::awaits_see_last_versions)) {
      known->version = version;  // no other thread has changed it so far
    }
  }
  if (!self.has_yielded) return;
  if (access == Access::write) {
    self.wrote_since_yield = true;
  } else if (!self.wrote_since_yield) {
    note_read_since_yield(self, object, version);
  }
}

// The parts are objects themselves. Each is the same object for every thread.
void Actions::act_on_parts(Thread& self, Access access) {
  const Operation operation = operation_on_part(access);
  std::vector<Object*> parts;
  parts.swap(self.parts_touched);
  for (Object* const part : parts) act(*part, operation, access);
  parts.swap(self.parts_touched);
}

void Actions::note_order_newly(const Object* object, std::uint64_t asked, Where where, std::uint64_t key) {
  const OwnMemory own;
  has_met_weaker_order |= object != nullptr && object->kind->keeps_stores;
  cold_state_->weaker_orders.note(AskedOrder::unpacked(asked), key, where, current->caller, object);
  // While callers are noted the hash is not stored, or the next caller of library code would be missed.
  if (!options_.notes_callers) noted_orders[key >> (64 - kBitsOfPlace)] = key;
}

// Its own time is the one before, because the fence has released.
void Actions::note_seq_cst_fence() {
  Thread& self = *current;
  VectorClock known;
  known.become(races_->known_to(self));
  known.set(self.index, time_of(self.epoch) - 1);
  cold_state_->weak_memory.seq_cst.fenced(self.index, known);
}

void Actions::forget_weaker_orders() {
  std::fill(std::begin(noted_orders), std::end(noted_orders), 0);
  has_met_weaker_order = false;
  if (cold_state_ != nullptr) cold_state_->weaker_orders.clear();
}

bool Actions::is_as_stated(const Object& object, Operation operation, Access access) const {
  // Time that passes is recorded as a write under the name of the operation that reads the clock.
  if (operation == Operation::clock_now && is_clock(object)) return true;
  const Semantics& row = semantics_of(operation);
  switch (row.effect) {
    case Effect::none:
      return false;
    case Effect::reads:
      return access == Access::read;
    case Effect::writes:
    case Effect::writes_both:
    case Effect::takes_second:
      return access == Access::write;
    case Effect::takes:  // a write follows when it has taken
      return access == Access::write ||
             (row.otherwise != Otherwise::waits && !can_take(object, row.needs, current->index));
    case Effect::exchanges:
      return true;
  }
  return false;
}

void Actions::fence(std::memory_order order, Where where) {
  if (!ending) note_order(nullptr, Operation::none, order, order, where);
  if (!looks_for_races_ || ending) return;
  const OwnMemory own;
  races_->fenced(*current, order);
  if (keeps_stores && order == std::memory_order_seq_cst) {
    note_seq_cst_fence();
    if (recording) options_.trace->seq_cst_fence(*current);
  }
  if (recording) cold_state_->race_record.fenced(*current, order);
}

}  // namespace hocket::runtime
