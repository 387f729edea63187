#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "scheduler/failures/shown_stacks.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

namespace {

/// A file with three lines that was written so long before this program was built.
std::filesystem::path file_before_program(const Folder& folder, std::chrono::hours before) {
  std::filesystem::path file = folder.path() / "queue.cpp";
  std::ofstream(file) << "int tail = 0;\n  ++tail;  // here\t\n  }\n";
  const auto built = std::filesystem::last_write_time(std::filesystem::canonical("/proc/self/exe"));
  std::filesystem::last_write_time(file, built - before);
  return file;
}

TEST(ALineOfSource, IsQuotedWithoutTheSpacesAroundIt) {
  const Folder folder;
  const std::filesystem::path file = file_before_program(folder, std::chrono::hours(1));
  EXPECT_EQ(line_of_source(file.string(), 1), "int tail = 0;");
  EXPECT_EQ(line_of_source(file.string(), 2), "++tail;  // here");
}

TEST(ALineOfSource, IsNotQuotedFromAFileThatWasChangedSince) {
  const Folder folder;
  const std::filesystem::path file = file_before_program(folder, std::chrono::hours(-1));
  EXPECT_EQ(line_of_source(file.string(), 2), "(queue.cpp was changed after the program was built)");
}

TEST(ALineOfSource, IsEmptyWhereThereIsNoneOrOnlyABracket) {
  const Folder folder;
  const std::filesystem::path file = file_before_program(folder, std::chrono::hours(1));
  EXPECT_EQ(line_of_source(file.string(), 3), "");
  EXPECT_EQ(line_of_source(file.string(), 7), "");
  EXPECT_EQ(line_of_source((folder.path() / "stack.cpp").string(), 1), "");
  EXPECT_EQ(line_of_source("a_file_of_which_nobody_has_heard.cpp:3"), "");
}

}  // namespace

}  // namespace hocket::test
