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

/// The number of this process, as text.
using Number = std::array<char, 24>;

bool start(SocketProgram& program, const char* path, Number& process) {
  const std::array<CommandWords, 1> command{{{word(path), process.data(), nullptr}}};
  return program.start(command);
}

[[maybe_unused]] bool start_if_there(SocketProgram& program, const char* path, Number& process) {
  return access(path, X_OK) == 0 && start(program, path, process);
}

/// Looks beside the folders of PATH, for a library that was installed elsewhere, with a command that the user
/// can call.
[[maybe_unused]] bool start_beside_commands(
    SocketProgram& program, [[maybe_unused]] const char* from_folder, Number& process) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::array<char, PATH_MAX> file;
    const int size = std::snprintf(
        file.data(), file.size(), "%.*s/%s", static_cast<int>(folder.size()), folder.data(), from_folder);
    const bool is_whole = size > 0 && static_cast<std::size_t>(size) < file.size();
    if (folder.starts_with('/') && is_whole && start_if_there(program, file.data(), process)) return true;
  }
  return false;
}

}  // namespace

bool start_debug_info(SocketProgram& program) {
  Number process{};
  std::snprintf(process.data(), process.size(), "%d", static_cast<int>(getpid()));
  const char* const given = std::getenv("HOCKET_DEBUG_INFO");
  if (given != nullptr && *given != '\0') return start(program, given, process);
#if defined(HOCKET_DEBUG_INFO_BUILT)  // where Hocket's own build makes and installs it
  if (start_if_there(program, HOCKET_DEBUG_INFO_BUILT, process) ||
      start_if_there(program, HOCKET_DEBUG_INFO_INSTALLED, process) ||
      start_beside_commands(program, HOCKET_DEBUG_INFO_FROM_BINARIES, process))
    return true;
#endif
  return start(program, "hocket-debug-info", process);
}

}  // namespace hocket::runtime::platform
