// Relations between at most 64 events, and the operations from which papers build their axioms: union,
// composition, transitive closure. Row i is the set of events that event i is related to.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace hocket::memory_model {

inline constexpr std::size_t kMostEvents = 64;

using EventSet = std::uint64_t;

constexpr EventSet only(std::size_t event) {
  return EventSet{1} << event;
}
constexpr bool contains(EventSet set, std::size_t event) {
  return (set >> event & 1U) != 0;
}

/// Calls `act` with each event of the set, in ascending order.
template <class Act>
void for_each(EventSet set, Act act) {
  for (; set != 0; set &= set - 1) act(static_cast<std::size_t>(std::countr_zero(set)));
}

class Relation {
 public:
  explicit Relation(std::size_t events) : size_(events) { assert(events <= kMostEvents); }

  void add(std::size_t from, std::size_t to) { rows_[from] |= only(to); }
  void add_all(std::size_t from, EventSet to) { rows_[from] |= to; }
  [[nodiscard]] EventSet operator[](std::size_t from) const { return rows_[from]; }
  [[nodiscard]] bool has(std::size_t from, std::size_t to) const { return contains(rows_[from], to); }

  Relation& operator|=(const Relation& other) {
    for (std::size_t i = 0; i < size_; ++i) rows_[i] |= other.rows_[i];
    return *this;
  }
  friend Relation operator|(Relation one, const Relation& other) { return one |= other; }

  /// `one` and then `other`, written `one ; other` in papers.
  friend Relation operator*(const Relation& one, const Relation& other) {
    Relation result(one.size_);
    for (std::size_t i = 0; i < one.size_; ++i) {
      for_each(one.rows_[i], [&](std::size_t j) { result.rows_[i] |= other.rows_[j]; });
    }
    return result;
  }

  /// The pairs that begin in one set and end in another.
  [[nodiscard]] Relation between(EventSet from, EventSet to) const {
    Relation result(size_);
    for_each(from, [&](std::size_t i) { result.rows_[i] = rows_[i] & to; });
    return result;
  }

  /// Also relates each event of the set to itself.
  [[nodiscard]] Relation or_same(EventSet set) const {
    Relation result = *this;
    for_each(set, [&](std::size_t i) { result.rows_[i] |= only(i); });
    return result;
  }

  [[nodiscard]] Relation closure() const {
    Relation result = *this;
    for (std::size_t k = 0; k < size_; ++k) {
      for (std::size_t i = 0; i < size_; ++i) {
        if (result.has(i, k)) result.rows_[i] |= result.rows_[k];
      }
    }
    return result;
  }

  [[nodiscard]] bool is_irreflexive() const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (has(i, i)) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_acyclic() const { return closure().is_irreflexive(); }

 private:
  std::size_t size_;
  std::array<EventSet, kMostEvents> rows_{};
};

}  // namespace hocket::memory_model
