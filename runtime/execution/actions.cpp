#include "actions.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <vector>

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
  Thread& self = *current;
  if (looks_for_races_) {
    const void* const code = self.caller != nullptr ? self.caller : __builtin_return_address(0);
    const Race* const race =
        races_->acted(self, object, synchronization_of(object, operation, access), order, code);
    const bool has_failed = race != nullptr && fail_by_race(*race);
    if (!has_failed && recording) record_order(object, operation, access, order, code);
  }
  if (options_.observer != nullptr) options_.observer->acted(object, access);
  if (!self.parts_touched.empty() && &object != &cold_state_->clock) act_on_parts(self, access);
  if (self.is_evaluating) {
    const auto known = std::find_if(self.awaited.begin(), self.awaited.end(),
        [&](const Thread::Read& read) { return read.object == &object; });
    if (known == self.awaited.end()) {
      self.awaited.push_back({&object, object.version});
    } else if ((access == Access::write && known->version + 1 == object.version) ||
               is_sabotaged(Sabotage::awaits_see_last_versions)) {
      known->version = object.version;  // no other thread has changed it so far
    }
  }
  if (!self.has_yielded) return;
  if (access == Access::write) {
    self.wrote_since_yield = true;
  } else if (!self.wrote_since_yield) {
    note_read_since_yield(self, object);
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
  cold_state_->weaker_orders.note(AskedOrder::unpacked(asked), key, where, current->caller, object);
  // While callers are noted the hash is not stored, or the next caller of library code would be missed.
  if (!options_.notes_callers) noted_orders[key >> (64 - kBitsOfPlace)] = key;
}

void Actions::forget_weaker_orders() {
  std::fill(std::begin(noted_orders), std::end(noted_orders), 0);
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
  if (recording) cold_state_->race_record.fenced(*current, order);
}

}  // namespace hocket::runtime
