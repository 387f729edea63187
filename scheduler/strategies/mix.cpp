// The strategies that sample, in turns, one execution each.
//
// Which of them finds a bug soonest depends on the bug: the best for one may have no chance with another. In
// turns, each bug takes at most as many times longer as there are strategies than with the best one for it.
#include <cstddef>
#include <memory>
#include <vector>

#include "random_bits.hpp"
#include "strategy.hpp"
#include "strategy_table.hpp"

namespace hocket {

namespace {

class Mix final : public Strategy {
 public:
  explicit Mix(Options options) {
    RandomBits seeds(options.seed);
    for (const StrategyInfo& info : strategies()) {
      if (info.use != StrategyUse::part_of_mix) continue;
      options.seed = seeds();
      parts_.push_back(info.make(options));  // pct goes through the depths from 1 to 4 by itself
    }
    turn_ = parts_.size() - 1;
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
  std::vector<std::unique_ptr<Strategy>> parts_;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_mix(const Options& options) {
  return std::make_unique<Mix>(options);
}

}  // namespace hocket
