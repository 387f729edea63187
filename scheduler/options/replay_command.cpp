#include "replay_command.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

#include "../../runtime/platform/symbols/build_id.hpp"
#include "../../runtime/terms/utf8.hpp"

namespace hocket {

namespace {

/// The arguments of a whole program; none for other programs.
std::optional<std::vector<std::string>>& arguments_of_program() {
  static auto& arguments =
      *new std::optional<std::vector<std::string>>;  // never destroyed, as the settings are
  return arguments;
}

/// Of what reports are about, if it is not this program.
std::optional<ReplayCommand>& command_of_other_program() {
  static auto& command = *new std::optional<ReplayCommand>;  // never destroyed, as the settings are
  return command;
}

std::string words_of(const std::vector<std::string>& arguments) {
  std::string words;
  for (const std::string& argument : arguments) words += " " + quoted_for_shell(argument);
  return words;
}

}  // namespace

void tell_of_program(const std::string& program, const std::vector<std::string>& arguments) {
  command_of_other_program() = replay_command_of(program, arguments);
}

void set_arguments_of_program(std::vector<std::string> arguments) {
  arguments_of_program() = std::move(arguments);
}

ReplayCommand replay_command() {
  if (command_of_other_program()) return *command_of_other_program();
  const std::string program = runtime::platform::path_of_this_program();
  const std::optional<std::vector<std::string>>& arguments = arguments_of_program();
  if (std::getenv("HOCKET_COMMAND") == nullptr && arguments)
    return {"HOCKET_REPLAY=", " " + quoted_for_shell(program) + words_of(*arguments)};
  return replay_command_of(program, arguments.value_or(std::vector<std::string>{}));
}

ReplayCommand replay_command_of(std::string_view program, const std::vector<std::string>& arguments) {
  const char* const command = std::getenv("HOCKET_COMMAND");
  const std::string hocket = command != nullptr ? quoted_for_shell(command) : "hocket";
  return {hocket + " replay ",
      " " + quoted_for_shell(program) + (arguments.empty() ? "" : " --" + words_of(arguments))};
}

std::string quoted_for_shell(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  const bool is_printable = utf8::printable(text) == text;
  std::string quoted = is_printable ? "'" : "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_shown = byte >= ' ' && byte < 0x7f;
    if (is_printable) {
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    } else if (is_shown) {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    } else {
      quoted += '\\';
      for (const unsigned shift : {6U, 3U, 0U}) quoted += static_cast<char>('0' + (byte >> shift & 7U));
    }
  }
  return quoted + "'";
}

std::string file_for_shell(std::string_view file) {
  return quoted_for_shell(file.starts_with('-') ? "./" + std::string(file) : std::string(file));
}

}  // namespace hocket
