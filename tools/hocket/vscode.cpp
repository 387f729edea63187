// `hocket vscode`: adds a replay to launch.json, for the debuggers of Visual Studio Code.
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "runtime/terms/utf8.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "gdb.hpp"
#include "launch_file.hpp"
#include "temporary_folder.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

/// `environment` holds names and values.
Json for_gdb(Json configuration, const Json& environment, const std::string& script) {
  Json list = Json::array();
  for (const auto& [name, value] : environment.items()) list.push_back({{"name", name}, {"value", value}});
  configuration["environment"] = list;
  configuration["MIMode"] = "gdb";
  Json commands = Json::array({{{"text", "-enable-pretty-printing"}, {"ignoreFailures", true}}});
  if (!script.empty()) commands.push_back({{"text", "source " + script}, {"ignoreFailures", true}});
  configuration["setupCommands"] = commands;
  return configuration;
}

Json for_lldb(Json configuration, const Json& environment, const std::string& script) {
  configuration["env"] = environment;
  Json commands = Json::array();
  if (!script.empty()) commands.push_back("command script import \"" + script + "\"");
  configuration["initCommands"] = commands;
  return configuration;
}

/// VS Code replaces variables such as ${command:…} in every text of launch.json and runs what they name, and
/// has no way to write their beginning otherwise.
void refuse_variables(const std::string& what, const std::string& text) {
  if (text.find("${") == std::string::npos) return;
  throw UsageError(what + " " + utf8::printable(text) +
                   " contains ${, which VS Code would replace by what it names, so nothing was changed");
}

/// The file that is to be changed: a link is left as it is.
fs::path changed_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
  const fs::path target = fs::canonical(file, error);
  if (error)
    throw UsageError(file.string() + " is a link to a file that is not there, so nothing was changed");
  return target;
}

/// Only one process at a time changes the files of the folder.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() { ::close(descriptor_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

int vscode(const VscodeCommand& command) {
  const Schedule schedule = read_schedule(command.file);
  if (!fs::is_regular_file(command.binary))
    throw UsageError("there is no program " + command.binary + "; check the path");
  const bool is_gdb = command.debugger == "gdb";
  const std::string name = "hocket: " + utf8::printable(schedule.test);
  Json environment;
  environment["HOCKET_REPLAY"] = fs::absolute(command.file).lexically_normal().string();
  environment["HOCKET_TEST"] = utf8::valid(schedule.test);
  environment["HOCKET_BREAK"] = command.step == 0 ? "on" : std::to_string(command.step);
  Json configuration;
  configuration["name"] = name;
  configuration["type"] = is_gdb ? "cppdbg" : "lldb";
  configuration["request"] = "launch";
  configuration["program"] = fs::absolute(command.binary).lexically_normal().string();
  configuration["args"] = command.arguments;
  configuration["cwd"] = "${workspaceFolder}";
  const std::string script = script_for(command.debugger);
  configuration = is_gdb ? for_gdb(std::move(configuration), environment, script)
                         : for_lldb(std::move(configuration), environment, script);

  refuse_variables("the name of the test", schedule.test);
  refuse_variables("the path", configuration["program"]);
  refuse_variables("the path", environment["HOCKET_REPLAY"]);
  const fs::path file = fs::path(command.folder) / ".vscode" / "launch.json";
  fs::create_directories(file.parent_path());
  const FolderLock lock(file.parent_path());
  const fs::path target = changed_file(file);
  const bool is_unreadable = fs::exists(target) && ::access(target.c_str(), R_OK) != 0;
  if (is_unreadable || (fs::exists(target) && !fs::is_regular_file(target)))
    throw UsageError(
        file.string() +
        " cannot be read, so nothing was changed; look at its permissions, and whether it is a file");
  const std::string before = text_of(target);
  std::string after;
  try {
    constexpr int kIndent = 4;
    after = with_configuration(before, name, configuration.dump(kIndent));
  } catch (const UsageError& error) {
    throw UsageError(file.string() + " " + error.what());
  } catch (const Json::exception&) {
    throw UsageError("a path or an argument is not UTF-8, which launch.json cannot hold");
  }
  if (after != before) replace_file(target, after);
  std::printf("%s %s the configuration \"%s\"; press F5 in VS Code\n", file.c_str(),
      after != before ? "has got" : "has", name.c_str());
  if (script.empty()) {
    std::printf(
        "The script for %s is not beside this command, so the commands \"hocket …\" will be missing.\n",
        command.debugger.c_str());
  }
  return kPassed;
}

}  // namespace hocket::tool
