// What executions cost. A search by bounds runs the executions that cost at most so much.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace hocket::memory_model {

/// A preemption costs 1, and so does a weak compare-exchange that fails where it could succeed. A load that
/// does not read the newest write costs 1, and so does a write that is not put behind the newest one; a
/// read-modify-write that is both costs 1, too.
struct Price {
  unsigned preemptions = 0;
  unsigned stale = 0;

  [[nodiscard]] unsigned total() const { return preemptions + stale; }
  friend Price operator+(const Price& one, const Price& other) {
    return {one.preemptions + other.preemptions, one.stale + other.stale};
  }
  friend auto operator<=>(const Price&, const Price&) = default;
};

inline constexpr unsigned kAnyNumber = ~0U;

struct Bound {
  unsigned total = kAnyNumber;
  unsigned stale = kAnyNumber;

  [[nodiscard]] bool covers(const Price& price) const {
    return price.total() <= total && price.stale <= stale;
  }
};

/// The least prices at which something can be had: none is in both parts as dear as another.
class Prices {
 public:
  static Prices free() {
    Prices result;
    result.add({});
    return result;
  }

  void add(const Price& price) {
    const auto is_no_dearer = [](const Price& one, const Price& other) {
      return one.preemptions <= other.preemptions && one.stale <= other.stale;
    };
    const bool is_known = std::any_of(
        least_.begin(), least_.end(), [&](const Price& known) { return is_no_dearer(known, price); });
    if (is_known) return;
    std::erase_if(least_, [&](const Price& known) { return is_no_dearer(price, known); });
    least_.push_back(price);
  }
  void add(const Prices& prices, const Price& more) {
    for (const Price& price : prices.least_) add(price + more);
  }

  [[nodiscard]] bool are_within(const Bound& bound) const {
    return std::any_of(least_.begin(), least_.end(), [&](const Price& price) { return bound.covers(price); });
  }
  [[nodiscard]] unsigned least_total() const {
    unsigned least = kAnyNumber;
    for (const Price& price : least_) least = std::min(least, price.total());
    return least;
  }
  [[nodiscard]] const std::vector<Price>& all() const { return least_; }

 private:
  std::vector<Price> least_;
};

}  // namespace hocket::memory_model
