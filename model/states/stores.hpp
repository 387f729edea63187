// What a search remembers of the states that it has met: the states, their
// fingerprints, or bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../api/options.hpp"
#include "../api/report.hpp"
#include "state_set.hpp"

namespace hocket::model {

/// What a set has to keep for a store other than Store::bitstate.
constexpr Keeps keeps_for(Store store) {
  return store == Store::exact ? Keeps::states : Keeps::fingerprints;
}

/// Adds a state to the report, by the least preemptions with which it was
/// reached.
inline void count_bound(unsigned preemptions, Report& report) {
  if (report.bounds.size() <= preemptions) report.bounds.resize(preemptions + 1);
  ++report.bounds[preemptions].states;
}

/// A few bits for each state, as in a Bloom filter (Holzmann, An Analysis of
/// Bitstate Hashing, 1998).
class BitArray {
 public:
  BitArray(unsigned log2, unsigned hashes) : mask_((std::uint64_t{1} << log2) - 1), hashes_(hashes) {
    words_.resize(static_cast<std::size_t>((mask_ >> 6U) + 1));
  }

  /// Adds a state; returns whether it was new. `variant` distinguishes states
  /// with one fingerprint.
  bool insert(const Fingerprint& fingerprint, std::uint64_t variant) {
    const std::uint64_t stride = (runtime::mix(fingerprint.high, variant)) | 1U;
    std::uint64_t at = runtime::mix(fingerprint.low, variant + 0x1234567U);
    bool is_new = false;
    for (unsigned n = 0; n < hashes_; ++n, at += stride) {
      std::uint64_t& word = words_[static_cast<std::size_t>((at & mask_) >> 6U)];
      const std::uint64_t bit = std::uint64_t{1} << (at & 63U);
      is_new |= (word & bit) == 0;
      ones_ += (word & bit) == 0 ? 1 : 0;
      word |= bit;
    }
    return is_new;
  }

  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  /// The probability that the next new state is taken for a known one.
  [[nodiscard]] double next_omission_probability() const {
    return std::pow(static_cast<double>(ones_) / (static_cast<double>(mask_) + 1), hashes_);
  }

 private:
  std::uint64_t mask_;
  unsigned hashes_;
  std::uint64_t ones_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace hocket::model
