// The report of an execution that has ended its process. Another process makes it: the supervisor of the
// program, or the parent that makes a child process for each execution.
#pragma once

#include <string>

#include "../../runtime/platform/ending.hpp"
#include "../schedules/schedule.hpp"
#include "replay_command.hpp"

namespace hocket {

/// The execution in which a process has ended.
struct LastExecution {
  Schedule schedule;       ///< its choices until then, and how it ended
  std::string folder;      ///< in which it is to be saved; empty: nowhere
  std::string known_file;  ///< that has the failure from before; empty: none

  /// Says in the schedule how the process has ended.
  void end_with(const runtime::platform::Ending& ending);

  /// Says how it ended on standard error, and saves the schedule, or prints it. Returns the name of the file
  /// that has it now; empty: none has.
  [[nodiscard]] std::string tell(const ReplayCommand& again) const;
};

}  // namespace hocket
