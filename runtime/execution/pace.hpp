// Which path the next steps take: see scheduling.hpp.
#pragma once

#include <cassert>
#include <cstdint>

#include "../diagnosis/last_steps.hpp"
#include "run.hpp"

namespace hocket::runtime {

/// Changes Run::stop and Run::common_until, and ExecutionOptions::max_steps, which ends every path.
class Pace {
 public:
  /// Another execution begins, for which there are so many reasons to take the slow path.
  void begin(unsigned reasons) {
    reasons_ = reasons;
    granted_ = 0;
    limit(run.options.max_steps);
  }
  /// Sets the limit of steps.
  void limit(std::uint32_t steps) {
    run.options.max_steps = steps;
    common_end_ = LastSteps::first(steps);
    enter_common_path();
  }
  /// Makes the next step find the limit of steps. Signal handlers may call this, also in the middle of a
  /// step: whatever looks for a reason to leave the common path respects the limit.
  void limit_now() {
    run.options.max_steps = common_end_ = 0;
    leave_common_path();
  }
  /// The limit of steps is one step further away in this execution, for one that a model of the program
  /// needs.
  void grant_a_step() {
    if (run.options.max_steps == kMaxPositions) return;
    ++run.options.max_steps;
    ++common_end_;
    ++granted_;
  }
  /// The limit of steps that was asked for.
  [[nodiscard]] std::uint32_t limit_without_granted() const { return run.options.max_steps - granted_; }

  /// Makes the next step leave the fast path.
  static void leave_fast_path() { run.stop = 0; }
  /// Makes all steps take the slow path until one of them finds no more reason for it.
  static void leave_common_path() { run.stop = run.common_until = 0; }
  void enter_common_path() { run.common_until = reasons_ == 0 ? common_end_ : 0; }
  /// Lets steps take the fast path until the chooser is to be asked.
  static void plan_fast_path() {
    const std::uint32_t consult_at = run.chooser->consult_at;
    run.stop = consult_at < run.common_until ? consult_at : run.common_until;
  }

  /// Reasons to take the slow path: a recording, an observer, fairness, sealed steps, loops that retry, more
  /// than 64 threads, and each thread that may expire, is at a yield, is guarded or forbids preemption.
  void add_reason() {
    ++reasons_;
    leave_common_path();
  }
  void drop_reason() {
    assert(reasons_ != 0);
    --reasons_;
  }
  [[nodiscard]] unsigned reasons() const { return reasons_; }

  /// Whether the steps from here on are kept, to explain why the execution reaches the limit of steps.
  [[nodiscard]] bool is_near_limit() const { return run.position >= common_end_; }

 private:
  unsigned reasons_ = 0;
  std::uint32_t common_end_ = 0;  ///< the position from which the last steps are kept
  std::uint32_t granted_ = 0;     ///< beyond the limit that was asked for
};

}  // namespace hocket::runtime
