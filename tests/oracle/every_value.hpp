// Enumerates all combinations of the values that a step of the abstract machine can choose.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

/// Supplies each combination of values in turn: the caller runs its code again and again until there is no
/// new combination.
class EveryValue : public Surroundings {
 public:
  unsigned choose(unsigned count, unsigned price) override {
    if (met_ == choices_.size()) choices_.push_back({0, count, price});
    const Choice& choice = choices_[met_++];
    price_ += choice.value != 0 ? choice.price : 0;
    return choice.value;
  }

  /// To be called after a run: whether there is another combination to run.
  bool next() {
    met_ = 0;
    price_ = 0;
    while (!choices_.empty() && choices_.back().value + 1 == choices_.back().count) choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().value;
    return true;
  }

  [[nodiscard]] unsigned price() const { return price_; }

 private:
  struct Choice {
    unsigned value;
    unsigned count;
    unsigned price;
  };
  std::vector<Choice> choices_;
  std::size_t met_ = 0;
  unsigned price_ = 0;
};

}  // namespace hocket::oracle
