// The report of an execution that has ended its process. Another process makes it: the supervisor of the
// program, or the parent that makes a child process for each execution.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/platform/ending.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../options/replay_command.hpp"
#include "../process/fresh_start.hpp"
#include "../process/last_words.hpp"
#include "../schedules/schedule.hpp"

namespace hocket {

/// The execution in which a process has ended.
struct LastExecution {
  Schedule schedule;            ///< its choices until then, and how it ended
  std::string folder;           ///< in which it is to be saved; empty: nowhere
  std::string known_file = {};  ///< that has the failure from before; empty: none
  std::string what = {};        ///< how it ended, for a person
  std::string stack = {};       ///< where the thread was, as platform::put_stack() writes it; or empty
  bool knows_choices = true;    ///< otherwise it ended before there was a log of them
  std::optional<unsigned> preemptions = {};

  /// Says how the process has ended: as its parent sees it, and then in its own words, if it had any.
  void end_with(const runtime::platform::Ending& ending);
  void end_with(const LastWords& words);

  void add_choice(runtime::Code code, bool gives_way, bool is_value);

  /// Looks for the file that has this failure from before, when the rest is known.
  void look_for_known_file(std::string_view expected);

  /// Says how it ended on standard error, and saves the schedule, or prints it. Returns the name of the file
  /// that has it now; empty: none has.
  [[nodiscard]] std::string tell(const ReplayCommand& again) const;

  /// What the program is to know of it that begins anew.
  [[nodiscard]] fresh_start::Ending ending(
      const std::string& saved_as, const Coverage& before, double seconds) const;
};

/// Prints the sentence and then what a replay needs of the schedule to the real standard error, as
/// `hocket replay -` and --hocket_replay=- take it.
void print_unsaved(const Schedule& schedule, std::string_view why);

}  // namespace hocket
