#include "actions.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "../diagnosis/trace.hpp"
#include "../terms/sabotage.hpp"
#include "../terms/semantics.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

namespace {

/// For assertions: whether `access` is what the row of `operation` says the operation does to `object`.
[[maybe_unused]] bool is_as_stated(const Object& object, Operation operation, Access access) {
  // Time that passes is recorded as a write under the name of the operation that reads the clock, or of a
  // late sleep.
  const bool may_pass_time = operation == Operation::clock_now || operation == Operation::thread_late_sleep;
  if (may_pass_time && &object == &clock_object()) return true;
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
             (row.otherwise != Otherwise::waits && !can_take(object, row.needs, run.current->index));
    case Effect::exchanges:
      return true;
  }
  return false;
}

}  // namespace

void Actions::act_alone(Operation operation, std::uint64_t outcome) {
  add_action(*run.current, outcome_word(operation, outcome));
}

void step::attend_to_all(Object& object, Operation operation, Access access, std::memory_order order) {
  assert(is_on_body() && run.attention == Attention::to_all);
  const void* const caller = run.current->instrumented.caller;
  execution.actions.attend_to_all(
      object, operation, access, order, caller != nullptr ? caller : __builtin_return_address(0));
}

void Actions::attend_to_all(
    Object& object, Operation operation, Access access, std::memory_order order, const void* code) {
  assert(is_as_stated(object, operation, access));
  const OwnMemory own;
  if (races_.is_looking()) {
    const Race* const race = races_.races().acted(
        *run.current, object, synchronization_of(object, operation, access), order, code);
    const bool has_failed = race != nullptr && races_.fail_by_race(*race);
    if (!has_failed && run.recording) races_.record_order(object, operation, access, order, code);
  }
  attend_beyond_order(object, access, object.version);
}

void Actions::attend_to_store(
    Object& object, Operation operation, Access access, std::memory_order order, const StoreAccess& store) {
  assert(run.keeps_stores && races_.is_looking());
  assert(is_as_stated(object, operation, access));
  const void* const code =
      run.current->instrumented.caller != nullptr ? run.current->instrumented.caller : store.code;
  const Race* const race = races_.races().acted(
      *run.current, object, synchronization_of(object, operation, access), order, code, store.from, store.to);
  const bool has_failed = race != nullptr && races_.fail_by_race(*race);
  if (!has_failed && run.recording)
    races_.record_order(object, operation, access, order, code, store.from, store.to);
  if (run.recording && order != std::memory_order_seq_cst) run.options.trace->order(order_name(order));
  // A thread that waits until what it has seen is no longer the newest value need not wait.
  attend_beyond_order(object, access, object.version - (store.is_older ? 1 : 0));
}

void Actions::attend_beyond_order(Object& object, Access access, std::uint32_t version) {
  Thread& self = *run.current;
  if (run.options.observer != nullptr) run.options.observer->acted(object, access);
  if (!self.instrumented.parts_touched.empty() && &object != &run.cold->clock) act_on_parts(self, access);
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
  parts.swap(self.instrumented.parts_touched);
  for (Object* const part : parts) step::act(*part, operation, access);
  parts.swap(self.instrumented.parts_touched);
}

void Actions::note_order(const Object* object, std::uint64_t asked, Where where, std::uint64_t key) {
  const OwnMemory own;
  has_met_weaker_order_ = true;
  could_keep_stores_ |= object != nullptr && object->kind->keeps_stores;
  run.cold->weaker_orders.note(
      AskedOrder::unpacked(asked), key, where, run.current->instrumented.caller, object);
  // While callers are noted the hash is not stored, or the next caller of library code would be missed.
  if (!run.options.notes_callers) step::noted_orders.add(key);
}

// Its own time is the one before, because the fence has released.
void Actions::note_seq_cst_fence() {
  Thread& self = *run.current;
  VectorClock known;
  known.become(races_.races().known_to(self));
  known.set(self.index, time_of(self.epoch) - 1);
  run.cold->weak_memory.seq_cst.fenced(self.index, known);
}

void Actions::forget_weaker_orders() {
  step::noted_orders.clear();
  has_met_weaker_order_ = could_keep_stores_ = false;
  if (run.cold != nullptr) run.cold->weaker_orders.clear();
}

void Actions::fence(std::memory_order order, Where where) {
  if (!run.ending) step::note_order(nullptr, Operation::none, order, order, where);
  if (!races_.is_looking() || run.ending) return;
  const OwnMemory own;
  races_.races().fenced(*run.current, order);
  if (run.keeps_stores && order == std::memory_order_seq_cst) {
    note_seq_cst_fence();
    if (run.recording) run.options.trace->seq_cst_fence(*run.current);
  }
  if (run.recording) run.cold->race_record.fenced(*run.current, order);
}

namespace {

void remove_duplicates(std::vector<Thread::Read>& reads) {
  const auto is_before = [](const Thread::Read& a, const Thread::Read& b) {
    if (a.object != b.object) return std::less<>()(a.object, b.object);
    return a.version < b.version;
  };
  std::sort(reads.begin(), reads.end(), is_before);
  const auto is_same = [](const Thread::Read& a, const Thread::Read& b) {
    return a.object == b.object && a.version == b.version;
  };
  reads.erase(std::unique(reads.begin(), reads.end(), is_same), reads.end());
}

}  // namespace

void note_read_since_yield(Thread& thread, const Object& object, std::uint32_t version) {
  std::vector<Thread::Read>& reads = thread.reads_since_yield;
  if (!reads.empty() && reads.back().object == &object && reads.back().version == version) return;
  // Each time the memory is full. It grows unless at least half of it becomes free, so that this takes
  // constant time on average.
  if (reads.size() == reads.capacity() && !reads.empty()) {
    const std::size_t full = reads.size();
    remove_duplicates(reads);
    if (reads.size() > full / 2) reads.reserve(2 * full);
  }
  reads.push_back({&object, version});
}

}  // namespace hocket::runtime
