// Counts the states that executions visit. A state is the happens-before graph of what was done up to a
// choice point or up to the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "scheduler/graph/class_set.hpp"

#include "tools/tables/measure/listener.hpp"

namespace measure {

/// Observes executions and counts the distinct states. The state at the end of an execution is not at a
/// choice point, so it is counted only if ended() is called.
class StateCounter final : public Listener {
 public:
  void chose_thread(const hocket::runtime::Thread&, hocket::runtime::Mode) override {
    states_.insert(hocket::runtime::run.hash);
  }
  void met_values(
      const hocket::runtime::Thread&, hocket::runtime::Operation, std::uint32_t, std::uint16_t) override {
    states_.insert(hocket::runtime::run.hash);
  }
  void ended(const hocket::runtime::ExecutionResult& result) { states_.insert(result.hash); }

  [[nodiscard]] std::uint64_t size() const { return states_.size(); }

 private:
  hocket::ClassSet states_;
};

/// The number of distinct states with at most a given number of preemptions, indexed by that bound.
struct StatesByBound {
  std::vector<std::uint64_t> within;
  bool is_complete = false;  ///< all states were counted; otherwise the last number is incomplete
};

/// Counts the states of `body` that a strategy visits, until `goes_on` returns false. The strategy must
/// finish each bound before the next one; no last bound is set. Throws as visit_executions() does.
StatesByBound states_by_bound(
    const std::function<void()>& body, const std::string& strategy, const std::function<bool()>& goes_on);

}  // namespace measure
