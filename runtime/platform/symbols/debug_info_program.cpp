#include "debug_info_program.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "../trusted_program.hpp"

#if defined(HOCKET_DEBUG_INFO_INSTALLED)
// The folder of the programs that were built or installed with this library, if the program was linked so
// that it knows (cmake/programs.cpp). The library itself does not: where it was built, anybody may have put
// something since.
extern "C" [[gnu::weak]] const char hocket_programs[];
#endif

namespace hocket::runtime::platform {

namespace {

bool was_in_no_place = false;          ///< where it is installed with Hocket, and was not given
std::array<char, PATH_MAX> refused{};  ///< the last program that was there and is not trusted

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

/// Starts the program of that name in the folder, if it is there. A folder must be named by an absolute path.
[[maybe_unused]] bool start_in(
    SocketProgram& program, std::string_view folder, const char* name, const Arguments& arguments) {
  std::array<char, PATH_MAX> path;
  const int size = std::snprintf(
      path.data(), path.size(), "%.*s/%s", static_cast<int>(folder.size()), folder.data(), name);
  if (!folder.starts_with('/') || size <= 0 || static_cast<std::size_t>(size) >= path.size()) return false;
  if (access(path.data(), X_OK) != 0) return false;
  if (may_be_trusted(path.data())) {
    if (!start(program, path.data(), arguments)) return false;
    refused[0] = '\0';
    return true;
  }
  refused = path;
  return false;
}

/// For programs that were built or installed with the program that is running.
[[maybe_unused]] bool start_beside_this_program(
    SocketProgram& program, const char* name, const char* from_folder, const Arguments& arguments) {
  std::array<char, PATH_MAX> self;
  const ssize_t size = readlink("/proc/self/exe", self.data(), self.size());
  if (size <= 0 || static_cast<std::size_t>(size) >= self.size()) return false;
  const std::string_view path(self.data(), static_cast<std::size_t>(size));
  const std::string_view folder = path.substr(0, path.rfind('/'));
  return start_in(program, folder, name, arguments) || start_in(program, folder, from_folder, arguments);
}

/// Looks beside the folders of PATH, for a library that was installed elsewhere, with a command that the user
/// can call.
[[maybe_unused]] bool start_beside_commands(
    SocketProgram& program, const char* from_folder, const Arguments& arguments) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (start_in(program, folder, from_folder, arguments)) return true;
  }
  return false;
}

bool start_wherever_it_is(SocketProgram& program, const Arguments& arguments) {
  const char* const given = std::getenv("HOCKET_DEBUG_INFO");
  if (given != nullptr && *given != '\0') return start(program, given, arguments);
#if defined(HOCKET_DEBUG_INFO_INSTALLED)  // where Hocket's own build makes and installs it
  constexpr const char* kName = "hocket-debug-info";
  const char* const known = hocket_programs;
  if ((known != nullptr && start_in(program, known, kName, arguments)) ||
      start_beside_this_program(program, kName, HOCKET_DEBUG_INFO_FROM_BINARIES, arguments) ||
      start_in(program, HOCKET_DEBUG_INFO_INSTALLED, kName, arguments) ||
      start_beside_commands(program, HOCKET_DEBUG_INFO_FROM_BINARIES, arguments))
    return true;
  was_in_no_place = !start(program, kName, arguments);
  return !was_in_no_place;
#else
  return start(program, "hocket-debug-info", arguments);
#endif
}

}  // namespace

const char* refused_debug_info() {
  return refused[0] != '\0' ? refused.data() : nullptr;
}

bool is_debug_info_in_no_place() {
  return was_in_no_place;
}

bool start_debug_info(SocketProgram& program) {
  std::array<char, 24> process{};
  std::snprintf(process.data(), process.size(), "%d", static_cast<int>(getpid()));
  return start_wherever_it_is(program, {process.data()});
}

bool start_listing_sources(SocketProgram& program, const char* binary) {
  return start_wherever_it_is(program, {"--sources", binary});
}

}  // namespace hocket::runtime::platform
