// `hocket vscode`: adds a replay to launch.json, for the debuggers of Visual Studio Code.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

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

  const fs::path file = fs::path(command.folder) / ".vscode" / "launch.json";
  const bool is_unreadable = fs::exists(file) && ::access(file.c_str(), R_OK) != 0;
  if (is_unreadable || fs::is_directory(file))
    throw UsageError(file.string() + " cannot be read, so nothing was changed; look at its permissions");
  const std::string before = text_of(file);
  std::string after;
  try {
    constexpr int kIndent = 4;
    after = with_configuration(before, name, configuration.dump(kIndent));
  } catch (const UsageError& error) {
    throw UsageError(file.string() + " " + error.what());
  } catch (const Json::exception&) {
    throw UsageError("a path or an argument is not UTF-8, which launch.json cannot hold");
  }
  if (after != before) {
    fs::create_directories(file.parent_path());
    replace_file(file, after);
  }
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
