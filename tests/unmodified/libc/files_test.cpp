// Files that executions open and, cut short, never close.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/folder.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace {

using hocket::Report;
using hocket::test::Folder;
using unmodified::check;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the only execution that comes to its end writes; the first such is run twice.
constexpr const char* kTwice = "begun and ended\nbegun and ended\n";

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator descriptors("/proc/self/fd");
  return std::distance(begin(descriptors), end(descriptors));
}

TEST(AStreamOfAnExecutionThatIsCutShort, IsClosedAndItsBufferNeverWritten) {
  const Folder folder;
  const std::string log = (folder.path() / "log").string();
  const std::ptrdiff_t before = open_descriptors();
  const Report report = unmodified::explored([&log] {
    std::FILE* const stream = std::fopen(log.c_str(), "a");
    check(stream != nullptr, "there are descriptors enough");
    std::fputs("begun", stream);
    flockfile(stream);
    hocket::assume(hocket::choose(3000) == 7);
    funlockfile(stream);
    std::fputs(" and ended\n", stream);
    std::fclose(stream);
  });
  EXPECT_EQ(report.dropped, 2999U) << report;
  EXPECT_EQ(open_descriptors(), before);
  std::fflush(nullptr);
  EXPECT_EQ(text_of(log), kTwice);
}

TEST(AStreamOfAnExecutionThatHasEnded, IsClosedAndWrittenAsAtTheEndOfAProcess) {
  const Folder folder;
  const std::string log = (folder.path() / "log").string();
  const std::ptrdiff_t before = open_descriptors();
  unmodified::explored([&log] { std::fputs("left open", std::fopen(log.c_str(), "w")); });
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(text_of(log), "left open");
}

TEST(AStreamOfTheCppLibrary, IsClosedToo) {
  const Folder folder;
  const std::string log = (folder.path() / "log").string();
  const std::ptrdiff_t before = open_descriptors();
  unmodified::explored([&log] {
    std::ofstream out(log, std::ios::app);
    out << "begun";
    hocket::assume(hocket::choose(100) == 7);
    out << " and ended\n";
  });
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(text_of(log), kTwice);
}

TEST(AStreamOpenedOutsideABody, StaysOpenAndStandsWhereItStoodInEachExecution) {
  std::FILE* const stream = std::tmpfile();
  std::fputs("before, ", stream);
  unmodified::explored([stream] {
    check(std::ftell(stream) == 8);
    std::fputs("from a body", stream);
  });
  EXPECT_EQ(std::ftell(stream), 8);
  std::fclose(stream);
}

}  // namespace
