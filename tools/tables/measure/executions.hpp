// Runs correct programs and lets the caller inspect each execution, which explore() does not allow: its
// states, and the steps that may have to wait.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/execution/execution.hpp"
#include "runtime/objects/observer.hpp"
#include "runtime/terms/thread_set.hpp"
#include "scheduler/graph/class_set.hpp"
#include "scheduler/strategies/strategy.hpp"

namespace measure {

/// Called for each execution. The log is valid until the next one. Returns whether to continue.
using Visit = std::function<bool(const hocket::runtime::ExecutionResult& result)>;

/// Runs `body` under the schedules of `strategy` until `visit` returns false or there are none left; returns
/// true in the latter case. Executions that a reduction has cut short are visited, too. `observer` receives
/// the events of all executions. Throws std::runtime_error if an execution fails or the body is not
/// deterministic, because only correct programs are measured.
bool visit_executions(const std::function<void()>& body, hocket::Strategy& strategy,
    hocket::runtime::Observer& observer, const Visit& visit);

/// The total price of the choices of an execution.
unsigned preemptions_of(const hocket::runtime::ChoiceLog& log);

/// An observer whose derived classes override only the events that they need.
class Listener : public hocket::runtime::Observer {
 public:
  void begin(const hocket::runtime::Thread&) override {}
  void created(const hocket::runtime::Thread&) override {}
  void started(const hocket::runtime::Thread&) override {}
  void joined(const hocket::runtime::Thread&, const hocket::runtime::Thread&) override {}
  void stopped(const hocket::runtime::Thread&, bool) override {}
  void chose_thread(const hocket::runtime::Thread&, hocket::runtime::Mode) override {}
  void met_values(
      const hocket::runtime::Thread&, hocket::runtime::Operation, std::uint32_t, std::uint16_t) override {}
  void chose_value(const hocket::runtime::Thread&, std::uint32_t) override {}
  void acted(const hocket::runtime::Object&, hocket::runtime::Access) override {}
  void over(bool) override {}
  void woke(const hocket::runtime::Thread&) override {}
};

/// Observes executions and counts the distinct states. A state is the happens-before graph of what was done
/// up to a choice point or up to the end. The state at the end of an execution is not at a
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

/// Counts the steps of an execution that may have to wait, and those that had to. Starts anew in each
/// execution that it observes. Waiting in join is not a step and does not count.
class WaitCounter final : public Listener {
 public:
  /// Steps whose operation takes a lock or a semaphore, and second halves of waits.
  [[nodiscard]] unsigned may_wait() const { return may_wait_; }
  /// Steps whose thread was not enabled at some choice point between its stop before the step and the step.
  [[nodiscard]] unsigned had_to_wait() const { return had_to_wait_; }

  void begin(const hocket::runtime::Thread& first) override;
  void chose_thread(const hocket::runtime::Thread& chosen, hocket::runtime::Mode mode) override;

 private:
  unsigned may_wait_ = 0;
  unsigned had_to_wait_ = 0;
  hocket::runtime::ThreadSet have_waited_;  ///< before the step that they have not made yet
};

}  // namespace measure
