#include "store_choices.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "../diagnosis/source_text.hpp"
#include "../diagnosis/trace.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "execution.hpp"

namespace hocket::runtime {

namespace {

/// What an operation does, with the store that it reads, or with which its own shares a history.
std::uint64_t store_word(const Object& object, Operation operation, const Store* read) {
  return mix(object.key + static_cast<std::uint64_t>(operation), read != nullptr ? read->name : 0);
}

/// Two stores that are neighbours in modification order.
ClassHash neighbours(const Store& one, const Store& next) {
  constexpr std::uint64_t kNeighbours = 0x2545f4914f6cdd1dU;
  ClassHash hash;
  hash.add(one.name, next.name ^ kNeighbours);
  return hash;
}

/// The weakest order that is as strong as both.
std::memory_order joined(std::memory_order one, std::memory_order other) {
  const auto [weaker, stronger] = std::minmax(one, other);
  const bool acquires = weaker == std::memory_order_acquire || weaker == std::memory_order_consume;
  return acquires && stronger == std::memory_order_release ? std::memory_order_acq_rel : stronger;
}

/// The same order for a compare-exchange that fails, and so stores nothing.
std::memory_order without_release(std::memory_order order) {
  if (order == std::memory_order_release) return std::memory_order_relaxed;
  return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
}

}  // namespace

void StoreChoices::begin() {
  run.cold->weak_memory.begin();
  for (Thread* const thread : run.threads) {
    if (thread == nullptr) break;
    thread->read_in_round.clear();
    thread->read_in_last_round.clear();
  }
  races_.begin_to_look();
}

void StoreChoices::raise_order(AtomicRequest& request) {
  for (const RaisedOrder& raised : *run.options.raised_orders) {
    if (raised.operation != request.operation || raised.line != request.where.line() ||
        raised.place != user_place_of(request.where))
      continue;
    if (raised.is_fence) {
      actions_.fence(raised.order, request.where);
    } else {
      request.order = joined(request.order, raised.order);
      request.on_failure = joined(request.on_failure, without_release(raised.order));
    }
  }
}

Store* StoreChoices::choose_store(AtomicRequest& request) {
  assert(request.size <= kMostStoreBytes && request.object.kind->keeps_stores);
  const OwnMemory own;
  if (run.options.raised_orders != nullptr) [[unlikely]]
    raise_order(request);
  WeakMemory& memory = run.cold->weak_memory;
  races_.races().number(request.object);
  StoreHistory& history = memory.histories.of(request.object, request.memory, request.size);
  memory.chosen_in = &history;
  memory.find_offers(
      request, history, run.current->index, races_.races().known_to(*run.current), threads_.count());
  if (!run.current->read_in_last_round.empty() && memory.offers.size() > 1) leave_out_last_round(history);
  if (run.options.stale_limit != 0 && memory.stale + 1 >= run.options.stale_limit &&
      memory.offers.size() > 1) {
    met_.left_out_stale = true;
    memory.offers.resize(1);
  }
  met_.passes_over_stores |= memory.offers.size() > kCodeLimit;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(memory.offers.size(), kCodeLimit));
  std::uint32_t chosen = 0;
  if (count > 1) {
    pace_.grant_a_step();  // a choice is no step
    if (run.recording) offer_stores(request, history);
    chosen = scheduling_.choose_value(request.operation, count, 1, request.where);
    if (run.ending) return nullptr;
    if (chosen != 0) ++memory.stale;
  }
  memory.chosen = memory.offers[chosen];
  return &history[memory.chosen.place];
}

void StoreChoices::leave_out_last_round(const StoreHistory& history) {
  WeakMemory& memory = run.cold->weak_memory;
  const std::size_t offered = memory.offers.size();
  memory.drop_older_offers(history, run.current->read_in_last_round);
  // What an await reads once more makes no difference. A loop that gives up after some rounds may do so then.
  met_.left_out_rereads |= memory.offers.size() < offered && !run.current->is_evaluating;
}

std::uint32_t StoreChoices::stale_choices() {
  return run.cold->weak_memory.stale;
}

bool StoreChoices::fails_at_chosen_store(Where where) {
  assert(run.cold->weak_memory.chosen_in != nullptr);
  const WeakMemory::Offer& chosen = run.cold->weak_memory.chosen;
  if (chosen.must_fail) Actions::act_alone(Operation::atomic_compare_exchange, 1);
  return chosen.must_fail || (chosen.may_fail && scheduling_.fails_spuriously(where));
}

void StoreChoices::offer_stores(const AtomicRequest& request, const StoreHistory& history) {
  std::vector<RecordedChoice::Stored> stores;
  for (const WeakMemory::Offer& offer : run.cold->weak_memory.offers) {
    const Store& store = history[offer.place];
    stores.push_back({store.step, request.as_text(store.value.data())});
  }
  run.options.trace->offer_stores(std::move(stores));
}

bool StoreChoices::act_on_store(
    const AtomicRequest& request, Store& chosen, bool writes, const void* desired) {
  const OwnMemory own;
  Thread& self = *run.current;
  Object& object = request.object;
  WeakMemory& memory = run.cold->weak_memory;
  StoreHistory& history = *memory.chosen_in;
  const std::memory_order order = request.writes && !writes ? request.on_failure : request.order;
  const bool was_newest = &chosen == &history.newest();
  if (run.options.observer != nullptr && memory.offers.size() > 1) {
    const std::uint32_t newest = history.size() - 1;
    run.options.observer->chose_store(newest - chosen.place, newest - memory.offers.back().place);
  }
  if (request.reads && (self.is_evaluating || (self.has_yielded && run.options.reads_older_once)))
    self.read_in_round.push_back(&chosen);
  if (request.reads && chosen.first_read.at(self.index) == 0)
    chosen.first_read.set(self.index, time_of(self.epoch));

  const std::uint64_t name =
      add_action(self, store_word(object, request.operation, request.reads ? &chosen : nullptr));
  Store* made = nullptr;
  if (writes) {
    if (was_newest) ++object.version;  // what waits for a change waits for another newest value
    Store* const next = was_newest ? nullptr : &history[chosen.place + 1];
    made = &memory.histories.add(history, chosen.place, desired, request.size);
    made->name = name;
    made->thread = self.index;
    made->time = time_of(self.epoch);
    if (run.recording) made->step = static_cast<std::uint32_t>(run.options.trace->choices().size());
    if (request.reads) chosen.is_taken = true;
    if (next != nullptr) {
      run.hash -= neighbours(chosen, *next);
      run.hash += neighbours(*made, *next);
    }
    run.hash += neighbours(chosen, *made);
  }
  if (const bool is_seq_cst = order == std::memory_order_seq_cst; memory.seq_cst.needs(is_seq_cst)) {
    const VectorClock& before = races_.races().known_to(self);
    VectorClock after;
    after.become(before);
    if (request.reads && is_acquire(order)) chosen.released.join_to(after);
    memory.seq_cst.acted(
        self.index, history, request.reads ? &chosen : nullptr, made, is_seq_cst, before, after);
  }
  actions_.attend_to_store(object, request.operation, writes ? Access::write : Access::read, order,
      {request.reads ? &chosen.released : nullptr, writes ? &made->released : nullptr, request.code,
          !was_newest});
  return was_newest;
}

void StoreChoices::act_on_queue(Object& object, Operation operation) {
  constexpr std::uint64_t kQueue = 0x9fb21c651e98df25U;
  const OwnMemory own;
  races_.races().number(object);
  const std::uint32_t version = run.cold->weak_memory.histories.next_in_queue(object);
  add_action(*run.current, mix(object.key ^ kQueue, version) + static_cast<std::uint64_t>(operation));
  run.current->wrote_since_yield = run.current->has_yielded;
  races_.used(object, operation);
}

}  // namespace hocket::runtime
