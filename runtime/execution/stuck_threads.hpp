// Executions in which no thread can go on, or that do not end: the verdict and its explanation.
#pragma once

#include <string>
#include <vector>

#include "../terms/where.hpp"
#include "awaiting.hpp"

namespace hocket::runtime {

/// The sources are in diagnosis/deadlock_report.cpp.
class StuckThreads : public Awaiting {
 protected:
  Thread& deadlock();
  void reach_step_limit(Where where);
  /// "⏎  main waits …" and "; teller holds it …". Only while recording.
  [[nodiscard]] std::string describe_waiting(const Thread& thread) const;
  [[nodiscard]] std::string describe_holder(const Object& object) const;
  /// Threads each of which waits for the next and the last for the first; empty when there are none.
  [[nodiscard]] std::vector<unsigned> circle_of_waiting() const;
  /// "⏎… wait for each other; …" where there is such a circle, else empty. Only while recording.
  [[nodiscard]] std::string describe_circle() const;
};

}  // namespace hocket::runtime
