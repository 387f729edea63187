// The command line that a user pastes to see a failure again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hocket {

/// A command line but for the name of the schedule file, as a crash handler needs it.
struct ReplayCommand {
  std::string until_file;
  std::string rest;

  /// `file` as a shell takes it.
  [[nodiscard]] std::string with(std::string_view file) const {
    return until_file + std::string(file) + rest;
  }
};

/// Of this program. By the command `hocket`, as the user has called it if it runs this program; a whole
/// program that runs by itself is told of the file by its environment.
ReplayCommand replay_command();

/// Says that the program explores itself, and what it was called with, without its own name: a replay has to
/// pass the same.
void set_arguments_of_program(std::vector<std::string> arguments);

/// `text` as a shell takes it for one word: in quotes where it needs them.
std::string quoted_for_shell(std::string_view text);

}  // namespace hocket
