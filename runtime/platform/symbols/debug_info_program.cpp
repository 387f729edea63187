#include "debug_info_program.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace hocket::runtime::platform {

namespace {

/// What the program is asked for: its arguments.
struct Arguments {
  const char* first;
  const char* second = nullptr;
};

bool start(SocketProgram& program, const char* path, const Arguments& arguments) {
  const std::array<CommandWords, 1> command{
      {{word(path), word(arguments.first), word(arguments.second), nullptr}}};
  return program.start(command);
}

[[maybe_unused]] bool start_if_there(SocketProgram& program, const char* path, const Arguments& arguments) {
  return access(path, X_OK) == 0 && start(program, path, arguments);
}

/// Looks beside the folders of PATH, for a library that was installed elsewhere, with a command that the user
/// can call.
[[maybe_unused]] bool start_beside_commands(
    SocketProgram& program, [[maybe_unused]] const char* from_folder, const Arguments& arguments) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::array<char, PATH_MAX> file;
    const int size = std::snprintf(
        file.data(), file.size(), "%.*s/%s", static_cast<int>(folder.size()), folder.data(), from_folder);
    const bool is_whole = size > 0 && static_cast<std::size_t>(size) < file.size();
    if (folder.starts_with('/') && is_whole && start_if_there(program, file.data(), arguments)) return true;
  }
  return false;
}

bool start_wherever_it_is(SocketProgram& program, const Arguments& arguments) {
  const char* const given = std::getenv("HOCKET_DEBUG_INFO");
  if (given != nullptr && *given != '\0') return start(program, given, arguments);
#if defined(HOCKET_DEBUG_INFO_BUILT)  // where Hocket's own build makes and installs it
  if (start_if_there(program, HOCKET_DEBUG_INFO_BUILT, arguments) ||
      start_if_there(program, HOCKET_DEBUG_INFO_INSTALLED, arguments) ||
      start_beside_commands(program, HOCKET_DEBUG_INFO_FROM_BINARIES, arguments))
    return true;
#endif
  return start(program, "hocket-debug-info", arguments);
}

}  // namespace

bool start_debug_info(SocketProgram& program) {
  std::array<char, 24> process{};
  std::snprintf(process.data(), process.size(), "%d", static_cast<int>(getpid()));
  return start_wherever_it_is(program, {process.data()});
}

bool start_listing_sources(SocketProgram& program, const char* binary) {
  return start_wherever_it_is(program, {"--sources", binary});
}

}  // namespace hocket::runtime::platform
