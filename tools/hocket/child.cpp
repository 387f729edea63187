#include "child.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "commands.hpp"

namespace hocket::tool {

void refuse_program(const std::string& binary, int error) {
  if (std::filesystem::is_directory(binary))
    throw UsageError("cannot run " + binary + ": it is a folder; name a program");
  throw UsageError(
      "cannot run " + binary + " (" + std::generic_category().message(error) + "); check the path");
}

void run_every_share() {
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(variable);
}

ProgramEnd run_child(const std::string& binary, const std::vector<std::string>& arguments, Output output) {
  std::vector<std::string> words{binary};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProgramEnd end = run_program(binary, std::move(words), output);
  if (end.error != 0) refuse_program(binary, end.error);
  return end;
}

}  // namespace hocket::tool
