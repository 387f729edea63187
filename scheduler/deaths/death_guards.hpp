// All guards that watch the process while a body runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "../process/crash_signals.hpp"
#include "../process/exit_guard.hpp"
#include "../process/thread_guard.hpp"
#include "../process/watchdog.hpp"
#include "dying_process.hpp"
#include "supervised_search.hpp"

namespace hocket {

class DeathGuards {
 public:
  /// As DyingProcess() and CrashSignals().
  DeathGuards(const Schedule& about, const std::string& directory, const Report& report,
      std::chrono::nanoseconds watchdog, bool lets_host_fault)
      : supervised_(about, directory),
        file_(about, directory, report, watchdog),
        signals_(lets_host_fault),
        watchdog_(watchdog) {}

 private:
  SupervisedSearch supervised_;
  DyingProcess file_;  // before those that use it
  CrashSignals signals_;
  ExitGuard exit_;
  ThreadGuard threads_;
  Watchdog watchdog_;
};

}  // namespace hocket
