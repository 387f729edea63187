#include "weak_memory.hpp"

#include <algorithm>
#include <cstring>

#include "../objects/synchronization.hpp"
#include "../terms/sabotage.hpp"

namespace hocket::runtime {

bool AtomicRequest::finds_expected(const Store& store) const {
  return expected != nullptr && std::memcmp(store.value.data(), expected, size) == 0;
}

void WeakMemory::find_offers(const AtomicRequest& request, const StoreHistory& history, unsigned thread,
    const VectorClock& known, unsigned threads) {
  offers.clear();
  offers.push_back({history.size() - 1, false, request.may_fail_spuriously});
  if (history.size() == 1) return;
  const std::uint32_t floor = history.floor(known, threads);
  VectorClock after;
  for (std::uint32_t place = history.size() - 1; place-- > floor;) {
    const Store& store = history[place];
    const bool is_expected = request.finds_expected(store);
    if (request.needs_another_value && is_expected) continue;
    const auto is_allowed = [&](bool writes) {
      if (writes && store.is_taken && !is_sabotaged(Sabotage::updates_are_not_adjacent)) return false;
      const std::memory_order order = request.writes && !writes ? request.on_failure : request.order;
      const bool is_seq_cst = order == std::memory_order_seq_cst;
      if (is_seq_cst && is_sabotaged(Sabotage::seq_cst_reads_the_newest)) return false;
      if (!seq_cst.may_forbid()) return true;
      after.become(known);
      if (request.reads && is_acquire(order)) store.released.join_to(after);
      return !seq_cst.forbids({&history, place, writes, is_seq_cst, thread, &known, &after}, threads);
    };
    const bool writes = request.writes && (request.expected == nullptr || is_expected);
    const bool may_fail = writes && request.may_fail_spuriously && is_allowed(false);
    const bool may_do_as_asked = is_allowed(writes);
    if (may_do_as_asked || may_fail) offers.push_back({place, !may_do_as_asked, may_fail});
  }
}

void WeakMemory::drop_older_offers(const StoreHistory& history, const std::vector<const Store*>& stores) {
  const auto is_one = [&](const Offer& offer) {
    return std::find(stores.begin(), stores.end(), &history[offer.place]) != stores.end();
  };
  offers.erase(std::remove_if(offers.begin() + 1, offers.end(), is_one), offers.end());
}

}  // namespace hocket::runtime
