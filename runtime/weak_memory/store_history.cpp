#include "store_history.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "../terms/action_hash.hpp"
#include "../terms/sabotage.hpp"

namespace hocket::runtime {

std::uint32_t StoreHistory::floor(const VectorClock& known, unsigned threads) const {
  for (std::uint32_t place = size() - 1; place > 0; --place) {
    const Store& store = *stores_[place];
    if (store.is_known_to_all || store.time <= known.at(store.thread)) return place;
    if (is_sabotaged(Sabotage::readers_know_nothing)) continue;
    for (unsigned thread = 0; thread < threads; ++thread) {
      const std::uint32_t read = store.first_read.at(thread);
      if (read != 0 && read <= known.at(thread)) return place;
    }
  }
  return 0;
}

void StoreHistories::begin() {
  for (std::size_t n = 0; n < in_use_; ++n) {
    histories_[n]->history.stores_.clear();
    histories_[n]->begun = histories_[n]->queue = 0;
  }
  in_use_ = 0;
  used_ = 0;
}

Store& StoreHistories::new_store(const void* value, std::size_t size) {
  assert(size <= kMostStoreBytes);
  if (++used_ > stores_.size()) [[unlikely]]
    stores_.push_back(std::make_unique<Store>());
  Store& store = *stores_[used_ - 1];
  store.value = {};
  std::memcpy(store.value.data(), value, size);
  store.released.clear();
  store.first_read.clear();
  store.time = 0;
  store.thread = 0;
  store.is_known_to_all = false;
  store.is_taken = false;
  store.event = 0;
  store.step = 0;
  return store;
}

StoreHistories::Kept& StoreHistories::kept(const Object& object) {
  assert(object.clocks != 0);
  const std::size_t index = object.clocks - 1;
  while (index >= histories_.size()) [[unlikely]] histories_.push_back(std::make_unique<Kept>());
  in_use_ = std::max(in_use_, index + 1);
  return *histories_[index];
}

void StoreHistories::overwritten(const Object& object) {
  if (object.clocks == 0 || object.clocks > in_use_) return;
  const std::vector<Store*>& stores = histories_[object.clocks - 1]->history.stores_;
  if (!stores.empty()) stores.back()->released.clear();
}

std::uint32_t StoreHistories::next_in_queue(const Object& object) {
  Kept& its = kept(object);
  if (is_sabotaged(Sabotage::notifications_are_stores) && its.history.size() != 0) {
    const Store& newest = its.history.newest();
    add(its.history, newest.place, newest.value.data(), newest.value.size()).name =
        mix(newest.name, its.queue);
  }
  return its.queue++;
}

StoreHistory& StoreHistories::of(const Object& object, const void* value, std::size_t size) {
  Kept& its = kept(object);
  std::vector<Store*>& stores = its.history.stores_;
  if (!stores.empty() && std::memcmp(stores.back()->value.data(), value, size) == 0) return its.history;
  stores.clear();
  Store& first = new_store(value, size);
  first.is_known_to_all = true;
  first.place = 0;
  first.name = mix(object.key, its.begun++);
  stores.push_back(&first);
  return its.history;
}

Store& StoreHistories::add(StoreHistory& history, std::uint32_t place, const void* value, std::size_t size) {
  assert(place < history.size());  // right behind a store of this history
  Store& store = new_store(value, size);
  auto& all = history.stores_;
  all.insert(all.begin() + place + 1, &store);
  for (std::uint32_t n = place + 1; n < all.size(); ++n) all[n]->place = n;
  return store;
}

}  // namespace hocket::runtime
