// The command line that a user can paste to reproduce a failure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hocket {

/// A command line without the name of the schedule file, as a crash handler needs it.
struct ReplayCommand {
  std::string until_file;
  std::string rest;

  /// The command line with `file`, which must be quoted for a shell.
  [[nodiscard]] std::string with(std::string_view file) const {
    return until_file + std::string(file) + rest;
  }
};

/// The command that replays a schedule of this program. It uses the command `hocket`, as the user called it
/// if it runs this program. A whole program that runs by itself gets the file from its environment instead.
ReplayCommand replay_command();

/// The command `hocket replay` for a schedule of another program, which is called with these arguments.
ReplayCommand replay_command_of(std::string_view program, const std::vector<std::string>& arguments);

/// Records that what this process prints is about another program, which is called with these arguments.
void tell_of_program(const std::string& program, const std::vector<std::string>& arguments);

/// Records that the program explores itself, and its arguments without its own name, because a replay has to
/// pass the same arguments.
void set_arguments_of_program(std::vector<std::string> arguments);

/// `text` as one word for a shell, in quotes if it needs them: in those of `$'…'` if it cannot be printed as
/// it is.
std::string quoted_for_shell(std::string_view text);
/// The same for the name of a file, which must not be taken for an option.
std::string file_for_shell(std::string_view file);

}  // namespace hocket
