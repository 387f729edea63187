// `hocket gdb`: becomes gdb, in a replay that has stopped where it fails.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "scheduler/schedules/schedule_file.hpp"

#include "child.hpp"
#include "commands.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

std::string script_for(const std::string& debugger) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path script =
      (folder / HOCKET_PREFIX_FROM_BINARIES / HOCKET_DATA / debugger / "hocket.py").lexically_normal();
  return fs::exists(script) ? script.string() : std::string{};
}

int gdb(const GdbCommand& command) {
  const Schedule schedule = read_schedule(command.file);
  if (!fs::is_regular_file(command.binary))
    throw UsageError("there is no program " + command.binary + "; check the path");
  ::setenv("HOCKET_REPLAY", fs::absolute(command.file).c_str(), 1);
  ::setenv("HOCKET_TEST", schedule.test.c_str(), 1);
  ::setenv("HOCKET_BREAK", command.step == 0 ? "on" : std::to_string(command.step).c_str(), 1);
  run_every_share();
  std::vector<std::string> words{"gdb", "-q"};
  const std::string script = script_for("gdb");
  if (script.empty()) {
    tell("the script for gdb is not beside this command, so the commands \"hocket …\" will be missing");
  } else {
    words.insert(words.end(), {"-x", script});
  }
  words.insert(words.end(), {"-ex", "run"});
  if (!script.empty()) words.insert(words.end(), {"-ex", "hocket thread", "-ex", "hocket threads"});
  words.insert(words.end(), {"--args", command.binary});
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp("gdb", pointers.data());
  throw UsageError("cannot run gdb (" + std::generic_category().message(errno) + "); install it");
}

}  // namespace hocket::tool
