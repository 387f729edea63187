// Containers for data about addresses of the program's memory while one execution runs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace hocket::unmodified {

/// A hash table from addresses to values that are cheap to copy. Clearing it takes constant time and keeps
/// its memory. `kNeighbours` consecutive keys are stored next to each other, for callers that go from one key
/// to the next.
template <class Value, std::size_t kNeighbours = 1>
class AddressMap {
 public:
  void clear() {
    ++generation_;
    used_ = 0;
  }

  /// The value for `address`, or nullptr; valid until the next insert().
  [[nodiscard, gnu::always_inline]] Value* find(std::uintptr_t address) {
    for (std::size_t n = place_of(address);; n = (n + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[n];
      if (slot.generation != generation_) return nullptr;
      if (slot.address == address) [[likely]]
        return &slot.value;
    }
  }

  /// The value for `address`. A new entry is Value{}. Valid until the next insert().
  Value& insert(std::uintptr_t address) {
    if (2 * used_ >= slots_.size()) grow();
    for (std::size_t n = place_of(address);; n = (n + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[n];
      if (slot.generation != generation_) {
        slot = {address, generation_, Value{}};
        ++used_;
        return slot.value;
      }
      if (slot.address == address) return slot.value;
    }
  }

 private:
  struct Slot {
    std::uintptr_t address = 0;
    std::uint64_t generation = 0;
    Value value{};
  };

  [[nodiscard]] std::size_t place_of(std::uintptr_t address) const {
    return ((address / kNeighbours * 0x9e3779b97f4a7c15U) >> shift_) * kNeighbours + address % kNeighbours;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    --shift_;
    used_ = 0;
    for (const Slot& slot : old) {
      if (slot.generation == generation_) insert(slot.address) = slot.value;
    }
  }

  static constexpr unsigned kFirstBits = 8;
  unsigned shift_ =
      64 - kFirstBits + std::countr_zero(kNeighbours);  ///< leaves the index of a row of neighbours
  std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << kFirstBits);
  std::uint64_t generation_ = 1;
  std::size_t used_ = 0;
};

/// Makes values that all end together, without destructors, and reuses their memory.
template <class T>
class Pool {
 public:
  void clear() {
    pages_used_ = 0;
    next_ = end_ = nullptr;
  }
  /// The number of values that fit without another page. That many have been made, or a few less.
  [[nodiscard]] std::size_t size() const { return pages_used_ * kRooms; }

  template <class... Arguments>
  [[gnu::always_inline]] T& make(Arguments&&... arguments) {
    if (next_ == end_) [[unlikely]]
      take_page();
    return *::new ((next_++)->bytes) T(std::forward<Arguments>(arguments)...);
  }

 private:
  struct Room {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  static constexpr std::size_t kRooms = 64;  ///< in a page

  [[gnu::noinline]] void take_page() {
    if (pages_used_ == pages_.size()) pages_.push_back(std::make_unique<Room[]>(kRooms));
    next_ = pages_[pages_used_++].get();
    end_ = next_ + kRooms;
  }

  std::vector<std::unique_ptr<Room[]>> pages_;
  std::size_t pages_used_ = 0;
  Room* next_ = nullptr;
  Room* end_ = nullptr;
};

}  // namespace hocket::unmodified
