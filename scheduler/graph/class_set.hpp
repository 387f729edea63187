// The set of happens-before classes met so far. It takes 16 bytes per class and some room to grow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "../../runtime/terms/action_hash.hpp"

namespace hocket {

/// A hash set of class hashes with open addressing. It is split into shards that grow one at a time, so that
/// growing never needs the memory of the whole set again. A shard grows by half, so that few slots are empty.
/// This takes 19 to 29 bytes per class.
class ClassSet {
 public:
  /// Returns whether `hash` is new.
  [[gnu::always_inline]] bool insert(const runtime::ClassHash& hash) {
    Shard& shard = shards_[hash.high >> (64U - kShardBits)];
    if (shard.used == shard.most) [[unlikely]]
      grow(shard);
    runtime::ClassHash& slot = *slot_of(shard, hash);
    if (slot != runtime::ClassHash{}) return false;
    slot = key_of(hash);
    ++shard.used;
    ++size_;
    return true;
  }

  [[nodiscard]] bool contains(const runtime::ClassHash& hash) const {
    const Shard& shard = shards_[hash.high >> (64U - kShardBits)];
    return shard.used != 0 && *slot_of(shard, hash) != runtime::ClassHash{};
  }

  /// Calls `visit(hash)` for each. The empty class is {1, 0}.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Shard& shard : shards_) {
      for (std::uint64_t n = 0; n < shard.capacity; ++n) {
        if (shard.slots[n] != runtime::ClassHash{}) visit(shard.slots[n]);
      }
    }
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr unsigned kShardBits = 6;

  struct Shard {
    std::unique_ptr<runtime::ClassHash[]> slots;  ///< {0, 0} marks a free slot
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;
    std::uint64_t most = 0;  ///< that may be used before it grows: 17 of 20
  };

  /// {0, 0} marks a free slot, but it is also the hash of the empty class, which is stored as {1, 0}.
  static runtime::ClassHash key_of(const runtime::ClassHash& hash) {
    return hash == runtime::ClassHash{} ? runtime::ClassHash{1, 0} : hash;
  }

  /// The slot that holds the class, or the free one where it would be placed.
  static runtime::ClassHash* slot_of(const Shard& shard, const runtime::ClassHash& hash) {
    __extension__ using Wide = unsigned __int128;
    const runtime::ClassHash key = key_of(hash);
    auto at = static_cast<std::uint64_t>(static_cast<Wide>(key.low) * shard.capacity >> 64U);
    while (shard.slots[at] != key && shard.slots[at] != runtime::ClassHash{}) {
      if (++at == shard.capacity) at = 0;
    }
    return &shard.slots[at];
  }

  [[gnu::noinline]] void grow(Shard& shard) {
    Shard larger;
    larger.capacity = shard.capacity == 0 ? 8 : shard.capacity + shard.capacity / 2;
    larger.slots = std::make_unique<runtime::ClassHash[]>(larger.capacity);
    larger.used = shard.used;
    larger.most = larger.capacity * 17 / 20;
    for (std::uint64_t n = 0; n < shard.capacity; ++n) {
      if (shard.slots[n] != runtime::ClassHash{}) *slot_of(larger, shard.slots[n]) = shard.slots[n];
    }
    bytes_ += (larger.capacity - shard.capacity) * sizeof(runtime::ClassHash);
    shard = std::move(larger);
  }

  std::array<Shard, std::size_t{1} << kShardBits> shards_;
  std::uint64_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace hocket
