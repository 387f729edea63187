// `hocket vscode`: adds a replay to launch.json, for the debuggers of Visual Studio Code. That is JSON in
// which comments and commas at the end of lists are allowed.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "runtime/terms/utf8.hpp"
#include "scheduler/schedules/schedule_file.hpp"
#include "scheduler/schedules/whole_file.hpp"

#include "commands.hpp"
#include "temporary_folder.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

/// Calls `see(position)` for each character outside strings, which are skipped. `see` returns the position to
/// go on at.
template <class See>
void outside_strings(std::string_view text, const See& see) {
  for (std::size_t n = 0; n < text.size();) {
    if (text[n] != '"') {
      n = see(n);
      continue;
    }
    for (++n; n < text.size() && text[n] != '"'; ++n) n += text[n] == '\\' ? 1 : 0;
    ++n;
  }
}

/// The text as plain JSON of the same length, with spaces in place of comments and of commas at the end of
/// lists.
std::string plain(std::string_view text) {
  std::string result(text);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) result.replace(0, kByteOrderMark.size(), kByteOrderMark.size(), ' ');
  outside_strings(text, [&](std::size_t n) {
    const std::string_view begin = text.substr(n, 2);
    if (begin != "//" && begin != "/*") return n + 1;
    std::size_t end = text.find(begin == "//" ? "\n" : "*/", n + 2);
    end = end == std::string_view::npos ? text.size() : begin == "//" ? end : end + 2;
    for (std::size_t k = n; k < end; ++k) {
      if (result[k] != '\n') result[k] = ' ';
    }
    return end;
  });
  outside_strings(result, [&](std::size_t n) {
    if (result[n] == ',') {
      const std::size_t next = result.find_first_not_of(kSpaces, n + 1);
      if (next != std::string::npos && (result[next] == ']' || result[next] == '}')) result[n] = ' ';
    }
    return n + 1;
  });
  return result;
}

/// The spaces before the element of a list that begins at `position`, if it is the first thing on its line.
std::string_view indentation(std::string_view text, std::size_t position) {
  const std::size_t line = text.substr(0, position).find_last_of('\n') + 1;
  const std::string_view spaces = text.substr(line, position - line);
  constexpr std::string_view kUsual = "        ";
  return line == 0 || spaces.find_first_not_of(" \t") != std::string_view::npos ? kUsual : spaces;
}

/// Where the list of configurations begins and ends: the positions of its brackets. `text` is
/// valid JSON which has it.
std::pair<std::size_t, std::size_t> list_of_configurations(const std::string& text) {
  std::size_t depth = 0;
  std::size_t begin = 0;
  std::size_t end = std::string::npos;
  bool is_in_list = false;
  outside_strings(text, [&](std::size_t n) {
    const char c = text[n];
    if (c == '[' && depth == 1 && end == std::string::npos) {
      // Before it is the name, in quotes, and a colon.
      const std::size_t colon = text.find_last_not_of(kSpaces, n - 1);
      const std::size_t quote = text.find_last_not_of(kSpaces, colon - 1);
      constexpr std::string_view kConfigurations = "\"configurations\"";
      is_in_list =
          text[colon] == ':' && quote + 1 >= kConfigurations.size() &&
          text.compare(quote + 1 - kConfigurations.size(), kConfigurations.size(), kConfigurations) == 0;
      begin = n;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ']' && depth == 1 && is_in_list && end == std::string::npos) end = n;
    return n + 1;
  });
  return {begin, end};
}

/// Where something may be put after `position`: behind the comment on the same line, if there is nothing else
/// but spaces before `end`.
std::size_t end_of_line(std::string_view text, std::size_t position, std::size_t end) {
  const std::size_t line_end = text.find('\n', position);
  if (line_end >= end) return position;
  const std::string_view rest = text.substr(position, line_end - position);
  const std::size_t first = std::min(rest.find_first_not_of(kSpaces), rest.size());
  return rest.substr(first).starts_with("//") ? line_end : position;
}

std::string indented(std::string_view lines, std::string_view by) {
  std::string result(by);
  for (const char c : lines) {
    result += c;
    if (c == '\n') result += by;
  }
  return result;
}

/// `text`, which may be empty, with a configuration more at the end. `configuration` is its JSON, in lines
/// that are indented by four spaces a level, and `name` its name. All else stays as it is, with comments. If
/// the same configuration is there already, the result is `text`. Throws UsageError, whose what() does not
/// name the file, if the text is no launch.json or if another configuration has that name.
std::string with_configuration(std::string_view text, std::string_view name, std::string_view configuration) {
  const std::string new_entry = indented(configuration, "        ");
  std::string result(text);
  const std::string json_text = plain(text);
  if (json_text.find_first_not_of(kSpaces) == std::string::npos) {
    return "{\n    \"version\": \"0.2.0\",\n    \"configurations\": [\n" + new_entry + "\n    ]\n}\n";
  }
  nlohmann::json launch;
  try {
    launch = nlohmann::json::parse(json_text);
  } catch (const nlohmann::json::exception&) {
    throw UsageError("is not JSON, so nothing was changed; mend it, or move it away");
  }
  if (!launch.is_object() || (launch.contains("configurations") && !launch["configurations"].is_array())) {
    throw UsageError(
        "has no list of configurations where VS Code looks for one, so nothing was changed; mend it, or "
        "move it away");
  }
  if (!launch.contains("configurations")) {
    const std::size_t brace = json_text.find('{');
    const std::string comma = launch.empty() ? "" : ",";
    result.insert(brace + 1, "\n    \"configurations\": [\n" + new_entry + "\n    ]" + comma);
    return result;
  }
  for (const nlohmann::json& one : launch["configurations"]) {
    if (!one.is_object() || one.value("name", nlohmann::json()) != name) continue;
    if (one == nlohmann::json::parse(configuration)) return result;
    throw UsageError("has another configuration that is called \"" + std::string(name) +
                     "\", so nothing was changed; remove it, or give it another name");
  }
  const auto [begin, end] = list_of_configurations(json_text);
  if (end == std::string::npos) throw UsageError("is written in a way that Hocket does not read");
  const std::size_t last = json_text.find_last_not_of(kSpaces, end - 1);
  const std::size_t first = json_text.find_first_not_of(kSpaces, begin + 1);
  const std::string entry = indented(configuration, indentation(json_text, first));
  const std::size_t comma = result.find_first_not_of(kSpaces, last + 1);
  if (json_text[last] == '[') {
    const bool is_on_one_line = result.find('\n', last) > end;
    result.insert(last + 1, "\n" + new_entry + (is_on_one_line ? "\n    " : ""));
  } else {
    const bool has_comma = comma < end && result[comma] == ',';  // the list has one at its end
    const std::size_t place = end_of_line(result, (has_comma ? comma : last) + 1, end);
    result.insert(place, "\n" + entry + (has_comma ? "," : ""));
    if (!has_comma) result.insert(last + 1, ",");
  }
  return result;
}

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
