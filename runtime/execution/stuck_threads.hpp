// Executions in which no thread can run, or that do not end: the verdict and its explanation.
#pragma once

#include <string>
#include <vector>

#include "../terms/where.hpp"
#include "pace.hpp"
#include "thread_table.hpp"
#include "verdict.hpp"
#include "virtual_time.hpp"

namespace hocket::runtime {

/// The definitions are in diagnosis/deadlock_report.cpp.
class StuckThreads {
 public:
  constexpr StuckThreads(
      const ThreadTable& threads, const Pace& pace, const VirtualTime& time, Verdict& verdict)
      : threads_(threads), pace_(pace), time_(time), verdict_(verdict) {}

  /// Of threads none of which can run: whether those that are left are detached and may outlive the body, so
  /// that the execution ends with it.
  [[nodiscard]] bool only_workers_wait() const;
  /// No thread can run. Returns the one that continues, while the execution is being ended.
  Thread& deadlock();
  void reach_step_limit(Where where);

 private:
  /// "⏎  main waits …" and "; teller holds it …". Only while recording.
  [[nodiscard]] std::string describe_waiting(const Thread& thread) const;
  /// Returns the same and has the recording keep it.
  [[nodiscard]] std::string tell_of_waiting(const Thread& thread) const;
  [[nodiscard]] std::string describe_holder(const Object& object) const;
  /// A cycle of threads in which each waits for the next, and the last for the first; empty if there is none.
  [[nodiscard]] std::vector<unsigned> circle_of_waiting() const;
  /// "⏎… wait for each other; …" if there is such a cycle, else empty. Only while recording.
  [[nodiscard]] std::string describe_circle() const;

  const ThreadTable& threads_;
  const Pace& pace_;
  const VirtualTime& time_;
  Verdict& verdict_;
};

}  // namespace hocket::runtime
