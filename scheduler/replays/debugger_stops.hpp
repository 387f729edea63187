// Where a replay stops for a debugger: before a step, and where it fails.
#pragma once

#include <cstddef>

#include "../../runtime/diagnosis/trace.hpp"
#include "../api/options.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// Exists while a replay runs. Each stop is announced by a line on standard error.
class DebuggerStops {
 public:
  DebuggerStops(const Options& options, const Schedule& schedule);
  DebuggerStops(const DebuggerStops&) = delete;
  DebuggerStops& operator=(const DebuggerStops&) = delete;
  ~DebuggerStops();

  /// To be called when the last choice of `trace` is about to be made. If the process is to stop before it,
  /// that happens on the stack of the thread whose step it is, where that is possible.
  void before_step(const runtime::Trace& trace) const;

 private:
  std::size_t steps_;  ///< of the schedule
};

}  // namespace hocket
