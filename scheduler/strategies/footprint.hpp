// What a thread does, as far as its order with what other threads do matters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket {

/// A set of objects that are read and a set of objects that are written. Objects share bits if there are many
/// of them, so that sets may appear to conflict that do not. That costs executions, and never loses any.
class Footprint {
 public:
  static constexpr unsigned kBits = 256;

  void add(unsigned object, bool writes) {
    const unsigned bit = object % kBits;
    (writes ? writes_ : reads_)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    is_empty_ = false;
  }
  /// It depends on everything that other threads do.
  void add_everything() {
    reads_.fill(~std::uint64_t{0});
    writes_.fill(~std::uint64_t{0});
    is_empty_ = false;
  }
  void add(const Footprint& other) {
    if (other.is_empty_) return;
    for (unsigned n = 0; n < kWords; ++n) {
      reads_[n] |= other.reads_[n];
      writes_[n] |= other.writes_[n];
    }
    is_empty_ = false;
  }
  [[nodiscard]] bool conflicts(const Footprint& other) const {
    if (is_empty_ || other.is_empty_) return false;
    for (unsigned n = 0; n < kWords; ++n) {
      if ((writes_[n] & (other.reads_[n] | other.writes_[n])) != 0 || (reads_[n] & other.writes_[n]) != 0)
        return true;
    }
    return false;
  }

  friend bool operator==(const Footprint&, const Footprint&) = default;

 private:
  static constexpr unsigned kWords = kBits / 64;
  std::array<std::uint64_t, kWords> reads_{};
  std::array<std::uint64_t, kWords> writes_{};
  bool is_empty_ = true;
};

/// What each thread was seen to do below a node, or is waiting to do. Indexed by stable number.
using Future = std::vector<Footprint>;

inline void add_to(Future& future, unsigned number, const Footprint& footprint) {
  if (number >= future.size()) future.resize(number + std::size_t{1});
  future[number].add(footprint);
}
inline void add_to(Future& future, const Future& other) {
  if (other.size() > future.size()) future.resize(other.size());
  for (std::size_t n = 0; n < other.size(); ++n) future[n].add(other[n]);
}

}  // namespace hocket
