// The vector clocks of a recording, in one block of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hocket::graph {

/// A number of events of one thread.
using EventCount = std::uint32_t;

/// No clock, object or wait.
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Vector clocks of `width()` counts each. A clock is named by its place, which a change of the width moves.
class VectorClocks {
 public:
  using Place = std::uint32_t;

  /// The number of threads that a clock has room for.
  [[nodiscard]] unsigned width() const { return width_; }

  void clear() { counts_.clear(); }

  [[nodiscard]] Place make() {
    const auto at = static_cast<Place>(counts_.size());
    counts_.resize(counts_.size() + width_, 0);
    return at;
  }
  [[nodiscard]] Place copy(Place of) {
    const Place at = make();
    std::copy_n((*this)[of], width_, (*this)[at]);
    return at;
  }
  void join(Place into, Place from) {
    EventCount* a = (*this)[into];
    const EventCount* b = (*this)[from];
    for (unsigned n = 0; n < width_; ++n) a[n] = std::max(a[n], b[n]);
  }
  /// Doubles the width. Places are to be changed by moved().
  void widen() {
    const unsigned before = width_;
    width_ *= 2;
    std::vector<EventCount> wider(counts_.size() / before * width_, 0);
    for (std::size_t n = 0; n < counts_.size() / before; ++n)
      std::copy_n(counts_.data() + n * before, before, wider.data() + n * width_);
    counts_ = std::move(wider);
  }
  /// Where the clock is whose place was `before` when the width was half of what it is.
  [[nodiscard]] Place moved(Place before) const {
    return before == kNone ? kNone : before / (width_ / 2) * width_;
  }

  [[nodiscard]] EventCount* operator[](Place at) { return counts_.data() + at; }
  [[nodiscard]] const EventCount* operator[](Place at) const { return counts_.data() + at; }

 private:
  unsigned width_ = 4;
  std::vector<EventCount> counts_;
};

}  // namespace hocket::graph
