// Streams of files: those that executions open and, cut short, never close, and those of which a thread waits
// for the other side.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <malloc.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

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

/// From the first place in a report on, Hocket has a connection to the program that finds names.
std::ptrdiff_t open_descriptors() {
  static const bool has_failed =
      unmodified::report_of(unmodified::quietly(), [] { check(false, "once"); }).failed();
  EXPECT_TRUE(has_failed);
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

TEST(AStreamIntoMemory, WorksInEveryExecutionAndIsClosedIfTheBodyLeavesItOpen) {
  static std::array<char, 10> global{};
  unmodified::explored([] {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const closed = open_memstream(&text, &size);
    std::fputs("hello", closed);
    std::fclose(closed);
    check(size == 5 && std::string(text) == "hello");
    std::free(text);
    std::fputs("left", open_memstream(&text, &size));
    check(global[0] == 0, "what an earlier execution has left in its buffer was written late");
    std::fputs("left", fmemopen(global.data(), global.size(), "w"));
    unmodified::two_steps();
  });
}

TEST(AStreamIntoMemory, WritesToNoVariableOfTheBodyAfterItsEnd) {
  constexpr std::size_t kLast = 77;
  struct {
    char* text = nullptr;
    std::size_t size = 0;
    std::array<char, 10> buffer{};
  } its;  // on the stack of the test, which is not put back
  unmodified::explored([&its] {
    its.buffer = {};
    std::fputs("left", open_memstream(&its.text, &its.size));
    std::fputs("left", fmemopen(its.buffer.data(), its.buffer.size(), "w"));
    its.size = kLast;
    unmodified::two_steps();
  });
  EXPECT_EQ(its.size, kLast);
  EXPECT_EQ(its.buffer[0], 0);
}

TEST(AStreamWithFunctionsOfTheBody, CallsThemWhileTheBodyRunsAndNotLater) {
  struct Counts {
    unsigned bodies = 0;
    unsigned writes = 0;
  } counts;  // on the stack of the test, which is not put back
  unmodified::explored([&] {
    ++counts.bodies;
    cookie_io_functions_t functions{};
    functions.write = [](void* cookie, const char* /*from*/, std::size_t size) {
      ++static_cast<Counts*>(cookie)->writes;
      return static_cast<ssize_t>(size);
    };
    std::FILE* const closed = fopencookie(&counts, "w", functions);
    std::fputs("hello", closed);
    std::fclose(closed);
    std::fputs("left", fopencookie(&counts, "w", functions));
    unmodified::two_steps();
  });
  EXPECT_EQ(counts.writes, counts.bodies);
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

TEST(AStreamOfAPipe, EndsWaitsWhenItIsWrittenAndWhenItIsClosed) {
  const Report report = unmodified::explored([] {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0, "a pipe is made");
    std::FILE* const from = fdopen(ends[0], "r");
    std::FILE* const to = fdopen(ends[1], "w");
    std::thread reader([from] {
      std::array<char, 16> line{};
      check(std::fgets(line.data(), line.size(), from) != nullptr, "a line has come");
      check(std::string(line.data()) == "first\n", "it is the first one");
      check(std::fgets(line.data(), line.size(), from) == nullptr, "there is no other");
    });
    std::fputs("first\n", to);
    std::fflush(to);
    std::fclose(to);
    reader.join();
    std::fclose(from);
  });
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_GT(report.executions, 1U);
}

TEST(AStreamOfAPipeFromBefore, IsPutBackWithWhatIsInItAndKeepsOneBuffer) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "ab", 2), 2);
  std::FILE* const stream = fdopen(ends[0], "r");
  const auto allocated_before = mallinfo2().uordblks;
  constexpr std::uint64_t kExecutions = 1000;
  const hocket::Report report = unmodified::explored([stream] {
    check(std::fgetc(stream) == 'a', "it is at its beginning");
    hocket::choose(kExecutions);
  });
  EXPECT_EQ(report.executions, kExecutions);
  constexpr std::size_t kMuchLessThanABufferEach = 1U << 20U;
  EXPECT_LT(mallinfo2().uordblks, allocated_before + kMuchLessThanABufferEach);
  EXPECT_EQ(std::fgetc(stream), 'a');
  std::fclose(stream);
  close(ends[1]);
}

TEST(AStreamOfTheBodysProcess, IsReadInTheSameStepsHoweverFastItEnds) {
  const hocket::Report report = unmodified::explored([] {
    std::FILE* const stream = popen("echo one", "r");
    // Now and then, by a chance that Hocket does not control, the process ends before it is read.
    siginfo_t ended{};
    if (__rdtsc() % 4 == 0) check(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) == 0);
    check(std::fgetc(stream) == 'o', "its output is read");
    check(pclose(stream) == 0);
    hocket::choose(50);
  });
  EXPECT_EQ(report.steps, 2 * report.executions);
}

TEST(AStreamOfALockedFile, GivesTheLockBackWhenItIsClosed) {
  const Folder folder;
  const std::string path = (folder.path() / "locked").string();
  const Report report = unmodified::explored([&path] {
    std::FILE* const one = std::fopen(path.c_str(), "w");
    std::FILE* const other = std::fopen(path.c_str(), "w");
    check(flock(fileno(one), LOCK_EX) == 0, "it is locked");
    std::atomic<bool> is_locked{false};
    std::thread locker([&] {
      check(flock(fileno(other), LOCK_EX) == 0, "it is locked again");
      is_locked = true;
    });
    check(!is_locked, "nobody locks it before");
    std::fclose(one);
    locker.join();
    std::fclose(other);
  });
  EXPECT_FALSE(report.failed()) << report;
}

}  // namespace
