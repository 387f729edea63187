// `hocket flags`: what compilers and linkers need, for builds without CMake.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "child.hpp"
#include "commands.hpp"

namespace hocket::tool {

namespace fs = std::filesystem;

namespace {

/// Where things are installed, this program among them.
struct Places {
  fs::path package;    ///< the folder of HocketFlags.txt
  fs::path libraries;  ///< of Hocket
  fs::path headers;
  fs::path check_hooks;  ///< a program
};

/// `prefix`: the folder under which everything is, if it has another name for whoever reads the flags.
Places places(const std::string& prefix) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path own = (folder / HOCKET_PREFIX_FROM_BINARIES).lexically_normal();
  const fs::path root = prefix.empty() ? own : fs::path(prefix);
  if (!fs::exists(own / HOCKET_PACKAGE / "HocketFlags.txt")) {
    throw UsageError(
        "there is no " + (own / HOCKET_PACKAGE / "HocketFlags.txt").string() +
        "; use the command of an installed Hocket (cmake --install BUILD_TREE --prefix DIRECTORY)");
  }
  return {root / HOCKET_PACKAGE, root / HOCKET_LIBRARIES, root / HOCKET_HEADERS, own / HOCKET_CHECK_HOOKS};
}

/// A row of HocketFlags.txt.
struct Row {
  std::string kind;
  std::string languages;  ///< "C CXX", or "any"
  std::string compiler;   ///< "GNU", or "any"
  std::vector<std::string> words;
};

std::vector<Row> read_rows(const fs::path& file) {
  std::vector<Row> rows;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> columns;
    constexpr std::string_view kBar = " | ";
    std::size_t begin = 0;
    for (std::size_t bar = 0; (bar = line.find(kBar, begin)) != std::string::npos; begin = bar + kBar.size())
      columns.push_back(line.substr(begin, bar - begin));
    if (columns.size() != 3) throw UsageError(file.string() + " is not as it was installed: " + line);
    Row row{columns[0], columns[1], columns[2], {}};
    std::istringstream words(line.substr(begin));
    for (std::string word; words >> word;) row.words.push_back(word);
    rows.push_back(std::move(row));
  }
  return rows;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  if (const std::size_t position = text.find(what); position != std::string::npos)
    text.replace(position, what.size(), by);
}

/// `word` as a shell reads it.
std::string shell_word(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@+";
  return word.find_first_not_of(kPlain) == std::string::npos ? word : "'" + word + "'";
}

}  // namespace

int flags(const FlagsCommand& command) {
  if (!command.compile && !command.link) throw UsageError("hocket flags needs --compile, --link or both");
  const Places where = places(command.prefix);
  const std::string compiler = command.compiler.find("clang") != std::string::npos ? "Clang" : "GNU";
  const std::string language = command.language == "c" ? "C" : "CXX";
  std::vector<std::string> kinds;
  if (command.compile) kinds = {"headers", "compile"};
  if (command.link) {
    // What others need comes before what they need.
    if (command.gtest) kinds.insert(kinds.end(), {"link with GoogleTest", "objects with GoogleTest"});
    if (command.whole_program) kinds.insert(kinds.end(), {"link whole program", "objects whole program"});
    kinds.insert(kinds.end(), {"link", "objects", "libraries"});
  }
  const std::vector<Row> rows = read_rows(places("").package / "HocketFlags.txt");
  std::string text;
  for (const std::string& kind : kinds) {
    for (const Row& row : rows) {
      const bool is_wanted = row.kind == kind && (row.compiler == "any" || row.compiler == compiler) &&
                             (row.languages == "any" || row.languages.find(language) != std::string::npos);
      if (!is_wanted) continue;
      for (std::string word : row.words) {
        replace(word, "{package}", where.package.string());
        replace(word, "{libraries}", where.libraries.string());
        replace(word, "{headers}", where.headers.string());
        text += (text.empty() ? "" : " ") + shell_word(word);
      }
    }
  }
  std::puts(text.c_str());
  return kPassed;
}

int check_link(const CheckCommand& command) {
  if (!fs::exists(command.map)) {
    throw UsageError("there is no " + command.map + "; let the linker write it: -Wl,-Map=" + command.map);
  }
  std::vector<std::string> arguments{command.map, "objdump", fs::absolute(command.build_tree).string()};
  arguments.insert(arguments.end(), command.without_hooks.begin(), command.without_hooks.end());
  const ProgramEnd end = run_child(places("").check_hooks.string(), arguments);
  return end.signal == 0 ? end.status : kBad;
}

}  // namespace hocket::tool
