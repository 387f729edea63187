// The process outside: it saves the schedule of an execution in which the process that searched has ended,
// where that process could not: after SIGKILL, with a broken heap or stack, in another program that took its
// place.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../options/replay_command.hpp"
#include "../options/settings.hpp"
#include "../process/program.hpp"
#include "../schedules/schedule.hpp"
#include "last_execution.hpp"

namespace hocket {

/// The program that is supervised.
struct SupervisedProgram {
  std::string path;
  std::vector<std::string> words;  ///< its arguments, beginning with its name
  ReplayCommand again;             ///< what a person types to replay a schedule
};

/// What has become of it.
struct SupervisedEnd {
  ProgramEnd end;
  bool has_failed = false;         ///< an execution has ended it, of which it could not tell
  bool is_from_elsewhere = false;  ///< as it seemed, but it was a signal that somebody else has sent
};

/// While an object of this class exists, a program that this process starts is supervised.
class Supervisor {
 public:
  enum class Starts : bool { another_program, a_child_of_this_process };
  /// Where the system does not let it share memory, nothing is supervised: see why_not().
  explicit Supervisor(Starts starts = Starts::another_program) : starts_(starts) { share({}); }
  ~Supervisor() { forget(); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Why nothing is supervised, as an error number; 0: the program is.
  [[nodiscard]] int why_not() const { return why_not_; }

  /// Returns the execution that ended the program, unless the program has reported it itself. In both cases
  /// ends the processes that the execution had started and that still run. To be called after the program has
  /// ended.
  [[nodiscard]] std::optional<LastExecution> lost_execution(const runtime::platform::Ending& end);
  /// The same, and ends no process. Says nothing if the schedule is lost.
  [[nodiscard]] std::optional<LastExecution> last_execution(const runtime::platform::Ending& end) const;
  /// Ends the processes that were started since this object was made.
  void end_what_was_started() const;

  /// If such an execution has ended the program, reports it to the user and completes `report_file`, unless
  /// that is empty.
  void tell_of_lost_execution(
      const runtime::platform::Ending& end, const ReplayCommand& again, const std::string& report_file);

  /// To be called in a child that this process has forked: it is the program that is supervised.
  void become_supervised();

  /// Runs the program by `start`. When an execution ends it, this reports that, replaces "did not end" in the
  /// report file, if there is one, by the failure, and starts the program again for the tests that are left.
  /// Nothing in a child of this process in which `start` returns nothing: that goes on as the program.
  std::optional<SupervisedEnd> run(const std::function<std::optional<ProgramEnd>()>& start,
      const SupervisedProgram& program, const std::string& report_file);

 private:
  void share(std::string_view records);
  void forget();
  std::optional<SupervisedEnd> run_again_and_again(const std::function<std::optional<ProgramEnd>()>& start,
      const SupervisedProgram& program, const std::string& report_file);
  /// What the program that begins anew is to know; empty: it does not begin anew.
  [[nodiscard]] std::string records_for_next(const runtime::platform::Ending& end,
      const std::optional<LastExecution>& lost, const std::string& saved_as) const;

  Starts starts_;
  int file_ = -1;
  std::byte* area_ = nullptr;
  std::string passed_on_;  ///< the records with which the program began
  int why_not_ = 0;
  std::vector<int> children_before_;  ///< processes that the program has not started
};

/// Says on standard error if the supervisor supervises nothing.
void warn_if_useless(const Supervisor& supervisor);

/// Whether the signal may have come from anybody, and is not what the processor, the C library or the system
/// says of the body. False if it is 0.
bool may_be_from_elsewhere(int signal);

/// Splits this process: a child of it goes on with the program, and returns from here. This process stays as
/// its supervisor, and ends with its status, or with 1 after an execution of which nobody has told. Nothing
/// happens if the settings ask for no supervisor, or if the process has one already. If they ask for one, the
/// process ends with 2 where it cannot be had. If they say nothing about it, nothing happens there either,
/// nor in a debugger, in a replay and in a death test of GoogleTest.
void supervise(const Settings& settings);

}  // namespace hocket
