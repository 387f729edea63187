// The set of states that a search has met, with a record for each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "fingerprint.hpp"
#include "records.hpp"

namespace hocket::model {

/// A set of states holds as many as it can.
struct StateSetIsFull : std::length_error {
  using std::length_error::length_error;
};

/// What a set keeps of a state.
enum class Keeps : std::uint8_t {
  states,       ///< the state, which makes the set exact
  fingerprints  ///< its fingerprint, which may need less memory, and takes two
                ///< states with one fingerprint for one
};

/// The probability that two of `states` states were taken for one by a set that
/// keeps this.
inline double omission_probability(Keeps keeps, std::size_t states) {
  if (keeps == Keeps::states) return 0;
  const auto n = static_cast<double>(states);
  return n * n / 2 / std::exp2(128);
}

/// A hash table whose records do not move; what they are, the caller knows. It
/// holds at most `most` states; the insertion of another one throws
/// StateSetIsFull.
template <typename State>
class RawStateSet {
 public:
  struct Place {
    void* record;  ///< room for one, if the state is new
    bool is_new;
  };

  RawStateSet(Keeps keeps, RecordLayout record, std::size_t most = kMost)
      : keeps_(keeps), most_(most), slots_(kLeastSlots), states_(record), fingerprints_(record) {}

  Place insert(const Fingerprint& fingerprint, const State& state) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = find_slot(fingerprint, state);
    if (slot != 0) return {record(index_of(slot)), false};
    if (size_ == most_) throw StateSetIsFull("the set of states is full");
    if (keeps_ == Keeps::states) {
      states_.add(state);
    } else {
      fingerprints_.add(fingerprint);
    }
    slot = (fingerprint.low >> 32U << 32U) | (size_ + 1);
    return {record(size_++), true};
  }

  /// Has the processor fetch what insert() looks at: first the slots of several states, and then their
  /// entries.
  void fetch_slot(const Fingerprint& fingerprint) const {
    __builtin_prefetch(&slots_[(fingerprint.low >> 32U) & (slots_.size() - 1)]);
  }
  [[gnu::always_inline]] void fetch_entry(const Fingerprint& fingerprint) const {
    const std::uint64_t slot = slots_[(fingerprint.low >> 32U) & (slots_.size() - 1)];
    if (slot != 0) __builtin_prefetch(record(index_of(slot)));
    if (slot != 0 && keeps_ == Keeps::states) __builtin_prefetch(&states_.key(index_of(slot)));
  }

  /// The state's record, or nullptr.
  [[nodiscard]] void* find(const Fingerprint& fingerprint, const State& state) {
    const std::uint64_t slot = find_slot(fingerprint, state);
    return slot != 0 ? record(index_of(slot)) : nullptr;
  }
  /// The record of the state that was inserted after `index` other ones.
  [[nodiscard]] void* record(std::size_t index) const {
    return keeps_ == Keeps::states ? states_.record(index) : fingerprints_.record(index);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const {
    return slots_.size() * sizeof(std::uint64_t) + states_.bytes() + fingerprints_.bytes();
  }
  /// The memory needed during the next insertions, of which there may be many before
  /// a search asks again: while the table grows, the old one still exists.
  [[nodiscard]] std::size_t bytes_after_insert() const {
    const bool grows = (size_ + size_ / 16 + 1) * 2 > slots_.size();
    return bytes() + (grows ? slots_.size() * 2 * sizeof(std::uint64_t) : 0) +
           (keeps_ == Keeps::states ? states_.bytes_of_chunk() : fingerprints_.bytes_of_chunk());
  }

 private:
  static constexpr std::size_t kLeastSlots = 64;
  static constexpr std::size_t kMost = 0xffff'ffff;  // the number of an entry has 32 bits

  /// Entries that do not move, in chunks. Each is a key, and room for a record.
  template <typename Key>
  class Entries {
   public:
    explicit Entries(RecordLayout record)
        : alignment_(std::max(alignof(Key), record.alignment)),
          offset_(rounded_up(sizeof(Key), record.alignment)),
          stride_(rounded_up(offset_ + record.size, alignment_)) {}
    ~Entries() {
      if constexpr (!std::is_trivially_destructible_v<Key>) {
        for (std::size_t n = 0; n < size_; ++n) key(n).~Key();
      }
      for (std::byte* const chunk : chunks_) ::operator delete (chunk, std::align_val_t{alignment_});
    }
    Entries(const Entries&) = delete;
    Entries& operator=(const Entries&) = delete;

    void add(const Key& key) {
      if (size_ / kChunk == chunks_.size()) {
        chunks_.reserve(chunks_.size() + 1);
        chunks_.push_back(
            static_cast<std::byte*>(::operator new (bytes_of_chunk(), std::align_val_t{alignment_})));
      }
      new (entry(size_)) Key(key);
      ++size_;
    }
    [[nodiscard]] Key& key(std::size_t index) const {
      return *std::launder(reinterpret_cast<Key*>(entry(index)));
    }
    [[nodiscard]] void* record(std::size_t index) const { return entry(index) + offset_; }
    [[nodiscard]] std::size_t bytes() const { return chunks_.size() * bytes_of_chunk(); }
    [[nodiscard]] std::size_t bytes_of_chunk() const { return kChunk * stride_; }

   private:
    static constexpr std::size_t kChunk = 1024;

    static constexpr std::size_t rounded_up(std::size_t size, std::size_t alignment) {
      return (size + alignment - 1) / alignment * alignment;
    }
    [[nodiscard]] std::byte* entry(std::size_t index) const {
      return chunks_[index / kChunk] + index % kChunk * stride_;
    }

    std::size_t alignment_;
    std::size_t offset_;  ///< of the record
    std::size_t stride_;  ///< from one entry to the next
    std::size_t size_ = 0;
    std::vector<std::byte*> chunks_{};
  };

  // A slot is free if it is 0. Otherwise its high half is a part of the
  // fingerprint, which also tells where the slot belongs, and its low half the
  // number of the entry, counted from 1.
  static std::size_t index_of(std::uint64_t slot) { return (slot & 0xffff'ffffU) - 1; }
  [[nodiscard]] bool is_at(std::size_t index, const Fingerprint& fingerprint, const State& state) const {
    return keeps_ == Keeps::states ? states_.key(index) == state : fingerprints_.key(index) == fingerprint;
  }

  std::uint64_t& find_slot(const Fingerprint& fingerprint, const State& state) {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t mark = fingerprint.low >> 32U;
    for (std::size_t at = mark & mask;; at = (at + 1) & mask) {
      std::uint64_t& slot = slots_[at];
      if (slot == 0 || (slot >> 32U == mark && is_at(index_of(slot), fingerprint, state))) return slot;
    }
  }

  [[gnu::noinline]] void grow() {
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
  std::size_t most_;
  std::vector<std::uint64_t> slots_;
  Entries<State> states_;              ///< with Keeps::states
  Entries<Fingerprint> fingerprints_;  ///< with Keeps::fingerprints
  std::size_t size_ = 0;
};

/// The same with records of a certain type.
template <typename State, typename Record>
class StateSet {
  static_assert(std::is_trivially_destructible_v<Record>);

 public:
  struct Place {
    Record* record;
    bool is_new;
  };

  explicit StateSet(Keeps keeps) : set_(keeps, {sizeof(Record), alignof(Record)}) {}

  Place insert(const Fingerprint& fingerprint, const State& state) {
    const auto place = set_.insert(fingerprint, state);
    return {place.is_new ? new (place.record) Record{} : static_cast<Record*>(place.record), place.is_new};
  }
  [[nodiscard]] Record* find(const Fingerprint& fingerprint, const State& state) {
    return static_cast<Record*>(set_.find(fingerprint, state));
  }
  [[nodiscard]] std::size_t size() const { return set_.size(); }
  [[nodiscard]] std::size_t bytes() const { return set_.bytes(); }
  [[nodiscard]] std::size_t bytes_after_insert() const { return set_.bytes_after_insert(); }

 private:
  RawStateSet<State> set_;
};

}  // namespace hocket::model
