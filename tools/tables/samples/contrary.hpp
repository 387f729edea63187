// A strategy that preempts wherever it can, to see how many preemptions an execution may have.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/strategies/random_bits.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace tables {

/// Chooses one of the most expensive candidates at random, or, more often in some executions than in others,
/// any candidate.
class Contrary final : public hocket::Strategy {
 public:
  bool next() override {
    ++executions_;
    return true;
  }

  hocket::runtime::Code choose(const hocket::runtime::ChoicePoint& point) override {
    candidates_.clear();
    unsigned most = 0;
    const bool any = bits_.below(kDegrees) < executions_ % kDegrees;
    point.log->for_each_candidate(point.entry, [&](const hocket::runtime::Candidate& candidate) {
      if (!any && candidate.price > most) {
        most = candidate.price;
        candidates_.clear();
      }
      if (any || candidate.price == most) candidates_.push_back(candidate.code);
    });
    return candidates_[bits_.below(static_cast<std::uint32_t>(candidates_.size()))];
  }

  bool finished(const hocket::runtime::ExecutionResult& /*result*/) override { return true; }
  [[nodiscard]] bool is_sampling() const override { return true; }

 private:
  static constexpr std::uint32_t kDegrees = 8;

  hocket::RandomBits bits_{1};
  std::uint32_t executions_ = 0;
  std::vector<hocket::runtime::Code> candidates_;  ///< at one point
};

}  // namespace tables
