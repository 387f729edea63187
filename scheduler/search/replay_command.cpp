#include "replay_command.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

#include "../../runtime/platform/symbols/build_id.hpp"

namespace hocket {

namespace {

/// The arguments of a whole program; none for other programs.
std::optional<std::vector<std::string>>& arguments_of_program() {
  static std::optional<std::vector<std::string>> arguments;
  return arguments;
}

}  // namespace

void set_arguments_of_program(std::vector<std::string> arguments) {
  arguments_of_program() = std::move(arguments);
}

ReplayCommand replay_command() {
  const std::string program = quoted_for_shell(runtime::platform::path_of_this_program());
  const std::optional<std::vector<std::string>>& arguments = arguments_of_program();
  std::string words;
  if (arguments) {
    for (const std::string& argument : *arguments) words += " " + quoted_for_shell(argument);
  }
  const char* const command = std::getenv("HOCKET_COMMAND");
  if (command == nullptr && arguments) return {"HOCKET_REPLAY=", " " + program + words};
  const std::string hocket = command != nullptr ? quoted_for_shell(command) : "hocket";
  return {hocket + " replay ", " " + program + (words.empty() ? "" : " --" + words)};
}

std::string quoted_for_shell(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace hocket
