// The skeleton of the strategies that run every schedule once: pop a pending execution, run it, push what
// branches off.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <hocket/scheduler/frontier.hpp>
#include <hocket/scheduler/strategy.hpp>

namespace hocket {

/// `Bound` prices: `static constexpr bool counts`, whether preemptions cost anything.
///
/// Each execution is generated from exactly one other: itself without its last deviation. So each is run
/// exactly once, and since prices only add up, cheapest first is the order of the stacks.
template <class Bound>
class FrontierSearch : public Strategy {
 public:
  explicit FrontierSearch(unsigned last_bound) : last_bound_(Bound::counts ? last_bound : 0) {}

  bool next() override {
    if (!root_is_run_) {
      item_ = {};
      deviations_.clear();
      begin();
      return true;
    }
    // Prices only add up: what is empty now stays empty.
    while (bound_ < stacks_.size() && stacks_[bound_].empty()) stacks_[bound_++] = {};
    if (bound_ >= stacks_.size()) return false;
    item_ = stacks_[bound_].pop();
    frontier_.deviations(item_, deviations_);
    begin();
    return true;
  }

  runtime::Code choose(const runtime::ChoicePoint& point) override {
    const Deviation& deviation = deviations_[done_];
    if (point.position != deviation.position) return runtime::kDiverged;
    if (++done_ == deviations_.size()) {
      if (point.entry.check != item_.check) return runtime::kDiverged;
      consult_at = kNever;
    } else {
      consult_at = deviations_[done_].position;
    }
    return deviation.code;
  }

  bool finished(const runtime::ExecutionResult& result) override {
    if (result.outcome == runtime::Outcome::diverged || done_ != deviations_.size()) return false;
    const std::uint32_t first_new = deviations_.empty() ? 0 : deviations_.back().position + 1;
    const runtime::ChoiceLog& log = result.log;
    children_.clear();
    for (std::uint32_t position = first_new; position < log.size; ++position) branch(log, position);
    const auto count = static_cast<std::uint32_t>(children_.size());
    const Frontier::Parent parent = root_is_run_ ? frontier_.adopt(item_, count) : Frontier::kRoot;
    root_is_run_ = true;
    for (const Child& child : children_) {
      if (child.price >= stacks_.size()) stacks_.resize(child.price + 1);
      stacks_[child.price].push({parent, child.deviation, child.check});
    }
    items_ += count;
    return true;
  }

  [[nodiscard]] unsigned bound() const override { return bound_; }
  [[nodiscard]] std::vector<Deviation> deviations() const override { return deviations_; }
  [[nodiscard]] PendingWork pending() const override {
    PendingWork work{0, frontier_.bytes()};
    for (const Frontier::Stack& stack : stacks_) {
      work.items += stack.size();
      work.bytes += stack.bytes();
    }
    return work;
  }
  [[nodiscard]] std::uint64_t pending_at_next_bound() const override {
    return bound_ + 1 < stacks_.size() ? stacks_[bound_ + 1].size() : 0;
  }
  [[nodiscard]] bool left_out_any() const override { return left_out_; }
  [[nodiscard]] bool has_bounds() const override { return Bound::counts; }

 private:
  struct Child {
    std::uint32_t deviation;
    std::uint32_t check;
    unsigned price;
  };

  void begin() {
    done_ = 0;
    consult_at = deviations_.empty() ? kNever : deviations_.front().position;
  }

  void branch(const runtime::ChoiceLog& log, std::uint32_t position) {
    const runtime::LogEntry& entry = log.entries[position];
    log.for_each_candidate(entry, [&](const runtime::Candidate& candidate) {
      if (candidate.code == entry.code) return;
      const unsigned price = Bound::counts ? bound_ + candidate.price : 0;
      if (price > last_bound_) {
        left_out_ = true;
        return;
      }
      children_.push_back({Frontier::pack(position, candidate.code), entry.check, price});
    });
  }

  Frontier frontier_;
  std::vector<Frontier::Stack> stacks_;  ///< by price
  std::vector<Child> children_;
  std::vector<Deviation> deviations_;  ///< of the execution that runs
  Frontier::Pending item_{};
  std::size_t done_ = 0;  ///< deviations made so far
  unsigned bound_ = 0;
  unsigned last_bound_;
  std::uint64_t items_ = 0;
  bool root_is_run_ = false;
  bool left_out_ = false;
};

}  // namespace hocket
