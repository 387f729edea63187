// The strategies that sample, in turns, one execution each.
//
// Which of them finds a bug soonest depends on the bug: the best for one may have no chance with another. In
// turns, each bug takes at most as many times longer as there are strategies than with the best one for it.
#include <array>
#include <cstddef>
#include <memory>

#include "random_bits.hpp"
#include "strategy.hpp"

namespace hocket {

namespace {

class Mix final : public Strategy {
 public:
  explicit Mix(Options options) {
    RandomBits seeds(options.seed);
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      options.seed = seeds();
      parts_[n] = kMakers[n](options);
    }
  }

  bool next() override {
    turn_ = (turn_ + 1) % parts_.size();
    return parts_[turn_]->next();
  }
  runtime::Chooser& chooser() override { return parts_[turn_]->chooser(); }
  runtime::Code choose(const runtime::ChoicePoint& point) override { return chooser().choose(point); }
  bool finished(const runtime::ExecutionResult& result) override { return parts_[turn_]->finished(result); }

  [[nodiscard]] bool is_sampling() const override { return true; }

 private:
  /// By default, pct goes through the depths from 1 to 4 by itself.
  static constexpr std::array kMakers{&make_pos, &make_pct, &make_urw, &make_sticky, &make_random};

  std::array<std::unique_ptr<Strategy>, kMakers.size()> parts_;
  std::size_t turn_ = kMakers.size() - 1;
};

}  // namespace

std::unique_ptr<Strategy> make_mix(const Options& options) {
  return std::make_unique<Mix>(options);
}

}  // namespace hocket
