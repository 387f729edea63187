// The process outside: it saves the schedule of an execution in which the process that searched has ended,
// where that process could not: after SIGKILL, with a broken heap or stack, in another program that took its
// place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../process/program.hpp"
#include "../schedules/schedule.hpp"
#include "last_execution.hpp"
#include "replay_command.hpp"

namespace hocket {

/// While an object of this class exists, one program that this process starts is supervised.
class Supervisor {
 public:
  /// Where the system does not let it share memory, nothing is supervised: see why_not().
  Supervisor();
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Why nothing is supervised, as an error number; 0: the program is.
  [[nodiscard]] int why_not() const { return why_not_; }

  /// Returns the execution that ended the program, unless the program has reported it itself. In both cases
  /// ends the processes that the execution had started and that still run. To be called after the program has
  /// ended.
  [[nodiscard]] std::optional<LastExecution> lost_execution(const ProgramEnd& end);

 private:
  int file_ = -1;
  std::byte* area_ = nullptr;
  int why_not_ = 0;
  std::vector<int> children_before_;  ///< processes that the program has not started
};

/// The program that is supervised.
struct SupervisedProgram {
  std::string path;
  std::vector<std::string> words;  ///< its arguments, beginning with its name
  ReplayCommand again;             ///< what a person types to replay a schedule
};

/// Says on standard error if the supervisor supervises nothing.
void warn_if_useless(const Supervisor& supervisor);

/// Whether the signal may have come from anybody, and is not what the processor, the C library or the system
/// says of the body. False if it is 0.
bool may_be_from_elsewhere(int signal);

/// Whether both are the same end after the same number of choices.
bool is_same_end(const Schedule& one, const Schedule& other);

/// Says how the execution ended, and saves its schedule or prints it. Returns whether the body was the cause:
/// signals such as SIGKILL or SIGTERM may come from anybody, so the schedule is replayed, and if that runs to
/// the end, there is no file of it. Otherwise puts the failure in the place of "did not end" in this
/// report file, if there is one.
bool settle(const LastExecution& lost, const SupervisedProgram& program, const std::string& report_file);

/// Runs this program once more, supervised, with the arguments with which it began, and ends with its status,
/// or with 1 after an execution of which nobody has told, or with 2 if it cannot be supervised.
[[noreturn]] void run_supervised(const std::vector<std::string>& words, const std::string& report_file);

}  // namespace hocket
