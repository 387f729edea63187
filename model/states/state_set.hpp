// The set of states that a search has met, with a record for each.
#pragma once

#include <bit>
#include <cmath>
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

/// What a set keeps of a state.
enum class Keeps : std::uint8_t {
  states,       ///< the state, which makes the set exact
  fingerprints  ///< its fingerprint, which may need less memory, and takes two states with one fingerprint
                ///< for one
};

/// A hash table whose records do not move. It holds at most `kMost` states; the insertion of another one
/// throws StateSetIsFull.
template <typename State, typename RecordType, std::size_t kMost = 0xffff'ffff>
class StateSet {
 public:
  using Record = RecordType;
  struct Place {
    Record* record;
    bool is_new;
  };

  explicit StateSet(Keeps keeps) : keeps_(keeps), slots_(kLeastSlots) {}

  Place insert(const Fingerprint& fingerprint, const State& state) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = find_slot(fingerprint, state);
    if (slot != 0) return {&record(index_of(slot)), false};
    if (size_ == kMost) throw StateSetIsFull("the set of states is full");
    slot = (fingerprint.low >> 32U << 32U) | (size_ + 1);
    if (keeps_ == Keeps::states) {
      states_.add(size_, state);
    } else {
      fingerprints_.add(size_, fingerprint);
    }
    return {&record(size_++), true};
  }

  /// The state's record, or nullptr.
  [[nodiscard]] Record* find(const Fingerprint& fingerprint, const State& state) {
    const std::uint64_t slot = find_slot(fingerprint, state);
    return slot != 0 ? &record(index_of(slot)) : nullptr;
  }

  /// Calls `visit` for each record.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t n = 0; n < size_; ++n)
      visit(keeps_ == Keeps::states ? states_[n].record : fingerprints_[n].record);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const {
    return slots_.size() * sizeof(std::uint64_t) + states_.bytes() + fingerprints_.bytes();
  }
  /// The memory needed during the next insertion: while the table grows, the old one still exists.
  [[nodiscard]] std::size_t bytes_after_insert() const {
    const bool grows = (size_ + 1) * 2 > slots_.size();
    return bytes() + (grows ? slots_.size() * 2 * sizeof(std::uint64_t) : 0) +
           (keeps_ == Keeps::states ? states_.bytes_of_chunk() : fingerprints_.bytes_of_chunk());
  }
  /// The probability that two of `states` states were taken for one by a set that keeps this.
  static double omission_probability(Keeps keeps, std::size_t states) {
    if (keeps == Keeps::states) return 0;
    const auto n = static_cast<double>(states);
    return n * n / 2 / std::exp2(128);
  }

 private:
  static constexpr std::size_t kLeastSlots = 64;
  static_assert(kMost <= 0xffff'ffff, "the number of an entry has 32 bits");

  /// Entries that do not move, in chunks.
  template <typename Key>
  class Entries {
   public:
    struct Entry {
      Key key{};
      [[no_unique_address]] Record record{};
    };

    void add(std::size_t index, const Key& key) {
      if (index % kChunk == 0) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
      (*this)[index].key = key;
    }
    Entry& operator[](std::size_t index) { return chunks_[index / kChunk][index % kChunk]; }
    const Entry& operator[](std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }
    [[nodiscard]] std::size_t bytes() const { return chunks_.size() * bytes_of_chunk(); }
    static constexpr std::size_t bytes_of_chunk() { return kChunk * sizeof(Entry); }

   private:
    static constexpr std::size_t kChunk = 1024;
    std::vector<std::unique_ptr<Entry[]>> chunks_;
  };

  // A slot is free if it is 0. Otherwise its high half is a part of the fingerprint, which also tells where
  // the slot belongs, and its low half the number of the entry, counted from 1.
  static std::size_t index_of(std::uint64_t slot) { return (slot & 0xffff'ffffU) - 1; }
  [[nodiscard]] Record& record(std::size_t index) {
    return keeps_ == Keeps::states ? states_[index].record : fingerprints_[index].record;
  }
  [[nodiscard]] bool is_at(std::size_t index, const Fingerprint& fingerprint, const State& state) const {
    return keeps_ == Keeps::states ? states_[index].key == state : fingerprints_[index].key == fingerprint;
  }

  std::uint64_t& find_slot(const Fingerprint& fingerprint, const State& state) {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t mark = fingerprint.low >> 32U;
    for (std::size_t at = mark & mask;; at = (at + 1) & mask) {
      std::uint64_t& slot = slots_[at];
      if (slot == 0 || (slot >> 32U == mark && is_at(index_of(slot), fingerprint, state))) return slot;
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

  Keeps keeps_;
  std::vector<std::uint64_t> slots_;
  Entries<State> states_;              ///< with Keeps::states
  Entries<Fingerprint> fingerprints_;  ///< with Keeps::fingerprints
  std::size_t size_ = 0;
};

}  // namespace hocket::model
