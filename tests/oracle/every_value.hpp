// All the choices of values that a step of the abstract machine can meet.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/oracle/machine.hpp"

namespace hocket::oracle {

/// Gives each combination of values in turn: what is to be tried is run again and again until there is
/// nothing new to choose.
class EveryValue : public Surroundings {
 public:
  unsigned choose(unsigned count, unsigned price) override {
    if (met_ == choices_.size()) choices_.push_back({0, count, price});
    const Choice& choice = choices_[met_++];
    price_ += choice.value != 0 ? choice.price : 0;
    return choice.value;
  }

  /// Whether there is another combination to run, after a run.
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
