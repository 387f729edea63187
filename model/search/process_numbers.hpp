// The numbers of a model's processes, which need not follow each other.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "../api/model.hpp"

namespace hocket::model {

class ProcessNumbers {
 public:
  void add(Process process) {
    if (process < kMostProcesses) {
      small_ |= std::uint64_t{1} << process;
    } else {
      great_.insert(process);
    }
  }
  void add(const ProcessNumbers& others) {
    small_ |= others.small_;
    great_.insert(others.great_.begin(), others.great_.end());
  }

  /// Whether one is so great that searches which count preemptions cannot tell it from others.
  [[nodiscard]] bool has_great() const { return !great_.empty(); }
  /// In order.
  [[nodiscard]] std::vector<Process> all() const {
    std::vector<Process> result;
    for (Process process = 0; process < kMostProcesses; ++process) {
      if ((small_ >> process & 1U) != 0) result.push_back(process);
    }
    result.insert(result.end(), great_.begin(), great_.end());
    return result;
  }

 private:
  std::uint64_t small_ = 0;
  std::set<Process> great_;
};

}  // namespace hocket::model
