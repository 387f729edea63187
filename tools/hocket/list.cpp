// `hocket list`: the names of the tests of a program, without running any.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/options/test_list.hpp"

#include "child.hpp"
#include "commands.hpp"
#include "temporary_folder.hpp"

namespace hocket::tool {

int list(const ListCommand& command) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "names").string();
  ::setenv(kListVariable, file.c_str(), 1);
  ::setenv("GTEST_FILTER", "-*", 1);  // a main() that does not know HOCKET_LIST runs no test
  for (const OptionInfo& option : option_table()) ::unsetenv(option.variable().c_str());
  run_every_share();
  const ProgramEnd end = run_child(command.binary, command.arguments, Output::dropped);

  // A test that searches comes again as a test of GoogleTest.
  std::map<std::string, std::string> kinds;
  std::vector<std::string> names;
  std::istringstream lines(text_of(file));
  for (std::string kind, name; lines >> kind && std::getline(lines >> std::ws, name);) {
    if (kinds.emplace(name, kind).second) names.push_back(name);
  }
  if (end.signal != 0)
    throw UsageError(command.binary + " " + to_text(end) + " before it named all its tests");
  if (names.empty())
    throw UsageError(
        command.binary + " names no test; is it a test program linked with this version of Hocket?");
  for (const std::string& name : names) std::printf("%-6s  %s\n", kinds[name].c_str(), name.c_str());
  return kPassed;
}

}  // namespace hocket::tool
