#include "failure_pages.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/platform/symbols/build_id.hpp"
#include "../../runtime/platform/trusted_program.hpp"
#include "../options/settings.hpp"
#include "../report/log.hpp"

#if defined(HOCKET_TOOL_INSTALLED)
extern "C" [[gnu::weak]] const char hocket_commands[];  // as in debug_info_program.cpp
#endif

namespace hocket {

namespace {

/// The program `hocket`: the one that the environment variable HOCKET_TOOL names, or the one that was built
/// or installed with this library, or the one in PATH.
std::string tool() {
  const char* const given = std::getenv("HOCKET_TOOL");
  if (given != nullptr && *given != '\0') return given;
#if defined(HOCKET_TOOL_INSTALLED)  // where Hocket's own build makes and installs it
  const char* const known = hocket_commands;
  for (const std::string& path : {known != nullptr ? known + std::string("/hocket") : std::string(),
           std::string(HOCKET_TOOL_INSTALLED)}) {
    if (access(path.c_str(), X_OK) != 0) continue;
    if (runtime::platform::may_be_trusted(path.c_str())) return path;
    warn(
        "{} is not run, as others could have changed it: it or its folder does not belong to you or to root, "
        "or everybody may write there; name one that you trust in HOCKET_TOOL",
        path);
  }
#endif
  return "hocket";
}

/// Runs the command and waits for its end. Returns the status as waitpid() does, or -1 if there is no such
/// program.
int status_of(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  std::fflush(stdout);  // what it prints comes after what was printed
  pid_t child = -1;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ) != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 0;  // somebody else has waited for it
  }
  return status;
}

}  // namespace

void write_failure_pages(const Report& report) {
  std::vector<std::string> files;
  for (const FoundFailure& failure : report.failures) {
    if (!failure.schedule_file.empty()) files.push_back(failure.schedule_file);
  }
  write_failure_pages(report.test, files);
}

void write_failure_pages(const std::string& test, const std::vector<std::string>& schedule_files) {
  static bool is_missing = false;
  const std::string& folder = settings().html_folder;
  if (folder.empty() || is_missing || schedule_files.empty()) return;
  std::vector<std::string> command{tool(), "report", "-o", folder + "/"};
  if (std::string binary = runtime::platform::path_of_this_program(); !binary.empty())
    command.insert(command.end(), {"--binary", std::move(binary)});
  command.emplace_back("--");
  command.insert(command.end(), schedule_files.begin(), schedule_files.end());
  const int status = status_of(command);
  is_missing = status == -1;
  if (is_missing) {
    warn(
        "no page is written to {}: the program {} was not found; install Hocket, build its target "
        "hocket_tool, or name the program in HOCKET_TOOL",
        folder, command[0]);
  } else if (status != 0) {
    warn("the page of {} was not written to {}", test, folder);
  }
}

}  // namespace hocket
