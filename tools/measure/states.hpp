// The states that executions have been in: the happens-before graph of what was done up to a choice point, or
// up to the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "scheduler/graph/class_set.hpp"

#include "tools/measure/listener.hpp"

namespace measure {

/// Listens to executions and counts the distinct states. What ended() is not told of is not counted: the
/// state at an execution's end is at no choice point.
class StateCounter final : public Listener {
 public:
  void chose_thread(const hocket::runtime::Thread&, hocket::runtime::Mode) override {
    states_.insert(hocket::runtime::execution.hash);
  }
  void met_values(
      const hocket::runtime::Thread&, hocket::runtime::Operation, std::uint32_t, std::uint16_t) override {
    states_.insert(hocket::runtime::execution.hash);
  }
  void ended(const hocket::runtime::ExecutionResult& result) { states_.insert(result.hash); }

  [[nodiscard]] std::uint64_t size() const { return states_.size(); }

 private:
  hocket::ClassSet states_;
};

/// Distinct states with at most so many preemptions, by bound.
struct StatesByBound {
  std::vector<std::uint64_t> within;
  bool is_complete = false;  ///< these are all there are; otherwise the last number is not all of its bound
};

/// Counts the states of `body` that a strategy meets which runs all of a bound before the next, and has no
/// last one, until `goes_on` returns false. Throws as visit_executions() does.
StatesByBound states_by_bound(
    const std::function<void()>& body, const std::string& strategy, const std::function<bool()>& goes_on);

}  // namespace measure
