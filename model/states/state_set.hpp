// The set of states that a search has met, with a record for each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fingerprint.hpp"

namespace hocket::model {

/// A set of states holds as many as it can.
struct StateSetIsFull : std::length_error {
  using std::length_error::length_error;
};

/// A hash table whose entries do not move. `Key` is the state itself, which makes the set exact, or its
/// fingerprint, which needs less memory and takes two states with one fingerprint for one.
/// It holds at most `kMost` entries; the insertion of another one throws StateSetIsFull.
template <typename Key, typename Record, std::size_t kMost = 0xffff'ffff>
class StateSet {
 public:
  struct Entry {
    Key key{};
    [[no_unique_address]] Record record{};
  };
  struct Place {
    Entry* entry;
    bool is_new;
  };

  StateSet() : slots_(kLeastSlots) {}

  Place insert(const Fingerprint& fingerprint, const Key& key) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = find_slot(fingerprint, key);
    if (slot != 0) return {&entry(index_of(slot)), false};
    if (size_ == kMost) throw StateSetIsFull("the set of states is full");
    slot = (fingerprint.low >> 32U << 32U) | (size_ + 1);
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
    Entry& added = entry(size_++);
    added.key = key;
    return {&added, true};
  }

  [[nodiscard]] Entry* find(const Fingerprint& fingerprint, const Key& key) {
    const std::uint64_t slot = find_slot(fingerprint, key);
    return slot != 0 ? &entry(index_of(slot)) : nullptr;
  }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t n = 0; n < size_; ++n) visit(chunks_[n / kChunk][n % kChunk]);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const {
    return slots_.size() * sizeof(std::uint64_t) + chunks_.size() * kChunk * sizeof(Entry);
  }
  /// The memory needed during the next insertion: while the table grows, the old one still exists.
  [[nodiscard]] std::size_t bytes_after_insert() const {
    const bool grows = (size_ + 1) * 2 > slots_.size();
    return bytes() + (grows ? slots_.size() * 2 * sizeof(std::uint64_t) : 0) + kChunk * sizeof(Entry);
  }

 private:
  static constexpr std::size_t kLeastSlots = 64;
  static constexpr std::size_t kChunk = 1024;
  static_assert(kMost <= 0xffff'ffff, "the number of an entry has 32 bits");

  // A slot is free if it is 0. Otherwise its high half is a part of the fingerprint, which also tells where
  // the slot belongs, and its low half the number of the entry, counted from 1.
  static std::size_t index_of(std::uint64_t slot) { return (slot & 0xffff'ffffU) - 1; }
  [[nodiscard]] Entry& entry(std::size_t index) { return chunks_[index / kChunk][index % kChunk]; }

  std::uint64_t& find_slot(const Fingerprint& fingerprint, const Key& key) {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t mark = fingerprint.low >> 32U;
    for (std::size_t at = mark & mask;; at = (at + 1) & mask) {
      std::uint64_t& slot = slots_[at];
      if (slot == 0 || (slot >> 32U == mark && entry(index_of(slot)).key == key)) return slot;
    }
  }

  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const std::uint64_t slot : old) {
      if (slot == 0) continue;
      std::size_t at = (slot >> 32U) & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<std::uint64_t> slots_;
  std::vector<std::unique_ptr<Entry[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace hocket::model
