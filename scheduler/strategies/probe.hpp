// A random execution within a bound, to check what a reduction leaves out.
#pragma once

#include <cstdint>

#include "../../runtime/terms/choice.hpp"
#include "random_bits.hpp"

namespace hocket {

/// Switches at random where that is free, and now and then where it costs preemptions that are left.
class Probe final : public runtime::Chooser {
 public:
  explicit Probe(std::uint64_t seed) : bits_(seed) {}

  /// The next execution may have so many preemptions.
  void begin(unsigned bound) { left_ = bound; }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    const unsigned most = bits_.below(kRarity) == 0 ? left_ : 0;
    runtime::Candidate chosen{};
    std::uint32_t affordable = 0;
    point.log->for_each_candidate(point.entry, [&](const runtime::Candidate& candidate) {
      if (candidate.price <= most && bits_.below(++affordable) == 0) chosen = candidate;
    });
    if (affordable == 0) return point.entry.code;
    left_ -= chosen.price;
    return static_cast<runtime::Code>(chosen.code);
  }

 private:
  static constexpr std::uint32_t kRarity = 8;  ///< it thinks of a preemption at one of so many points

  RandomBits bits_;
  unsigned left_ = 0;
};

}  // namespace hocket
