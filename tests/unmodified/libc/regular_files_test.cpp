// Calls on regular files and on their names are steps: two threads that share a file, or a name, make them in
// every order.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scheduler/schedules/schedule.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified::files_of_disks {

namespace {

// Not in the function: bodies that called it first would make it themselves.
const std::string kScratch = own_path("regular");
const char* scratch() {
  return kScratch.c_str();
}
std::string other_scratch() {
  return std::string(scratch()) + "-other";
}

int made_file() {
  return open(scratch(), O_RDWR | O_CREAT | O_TRUNC, 0600);
}
void remove_file(int file) {
  close(file);
  unlink(scratch());
}
/// The file by a number that nobody else uses, not even Hocket, when it is free again.
int at_high_number(int file) {
  constexpr int kHigh = 230;
  const int high = fcntl(file, F_DUPFD, kHigh);
  close(file);
  return high;
}
void write_to(int file, const char* text, std::size_t size) {
  check(write(file, text, size) == static_cast<ssize_t>(size));
}

/// Its check fails under some schedules only.
struct Race {
  const char* name;
  void (*body)();
};

class ARaceOnAFile : public testing::TestWithParam<Race> {};

TEST_P(ARaceOnAFile, IsFound) {
  const FoundFailure failure = failure_of(GetParam().body);
  EXPECT_EQ(failure.kind, FailureKind::check) << failure.message;
}

INSTANTIATE_TEST_SUITE_P(Each, ARaceOnAFile,
    testing::Values(Race{"NumberThatIsReadAndWritten",
                        [] {
                          const int file = made_file();
                          int number = 0;
                          check(pwrite(file, &number, sizeof number, 0) == sizeof number);
                          const auto add = [file] {
                            int its = 0;
                            check(pread(file, &its, sizeof its, 0) == sizeof its);
                            ++its;
                            check(pwrite(file, &its, sizeof its, 0) == sizeof its);
                          };
                          in_parallel(add, add);
                          check(pread(file, &number, sizeof number, 0) == sizeof number);
                          remove_file(file);
                          check(number == 2);
                        }},
        Race{"PositionThatIsSharedByCopies",
            [] {
              const int file = made_file();
              write_to(file, "12", 2);
              lseek(file, 0, SEEK_SET);
              const int copy = dup(file);
              std::array<char, 2> read_by{};
              in_parallel([&] { check(read(file, &read_by[0], 1) == 1); },
                  [&] { check(read(copy, &read_by[1], 1) == 1); });
              close(copy);
              remove_file(file);
              check(read_by[0] == '1');
            }},
        Race{"LookingForAFileAndMakingIt",
            [] {
              unlink(scratch());
              std::atomic<int> makers{0};
              const auto make = [&] {
                if (access(scratch(), F_OK) == 0) return;
                close(open(scratch(), O_CREAT | O_RDWR, 0600));
                ++makers;
              };
              in_parallel(make, make);
              unlink(scratch());
              check(makers == 1);
            }},
        Race{"MakingAFolder",
            [] {
              std::atomic<int> which{0};
              in_parallel([&] { which += mkdir(scratch(), 0700) == 0 ? 1 : 0; },
                  [&] { which += mkdir(scratch(), 0700) == 0 ? 2 : 0; });
              rmdir(scratch());
              check(which == 1);
            }},
        Race{"LinesOfAStream",
            [] {
              std::FILE* const file = std::fopen(scratch(), "w+");
              std::fputs("1\n2\n", file);
              std::rewind(file);
              std::array<std::array<char, 8>, 2> lines{};
              in_parallel([&] { check(std::fgets(lines[0].data(), 8, file) != nullptr); },
                  [&] { check(std::fgets(lines[1].data(), 8, file) != nullptr); });
              std::fclose(file);
              unlink(scratch());
              check(lines[0][0] == '1');
            }},
        Race{"SizeThatIsAskedForByName",
            [] {
              const int file = made_file();
              struct stat status {};
              in_parallel([&] { write_to(file, "1", 1); }, [&] { check(stat(scratch(), &status) == 0); });
              remove_file(file);
              check(status.st_size == 0);
            }},
        Race{"CuttingAnOpenFile",
            [] {
              const int file = made_file();
              write_to(file, "1", 1);
              char byte = 0;
              ssize_t size = 0;
              in_parallel([&] { close(open(scratch(), O_WRONLY | O_TRUNC)); },
                  [&] { size = pread(file, &byte, 1, 0); });
              remove_file(file);
              check(size == 1);
            }},
        Race{"NameThatIsGivenToAnotherFile",
            [] {
              const int file = made_file();
              const int other = open(other_scratch().c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
              write_to(other, "1", 1);
              struct stat status {};
              in_parallel([&] { check(rename(other_scratch().c_str(), scratch()) == 0); },
                  [&] { check(stat(scratch(), &status) == 0); });
              close(other);
              remove_file(file);
              check(status.st_size == 0);
            }},
        Race{"TwoThreadsThatCloseOneNumber",
            [] {
              const int file = at_high_number(made_file());
              unlink(scratch());
              std::atomic<int> which{0};
              in_parallel(
                  [&] { which += close(file) == 0 ? 1 : 0; }, [&] { which += close(file) == 0 ? 2 : 0; });
              check(which == 1);
            }},
        Race{"ANumberThatIsClosedTwiceAndUsedAgain",
            [] {
              const int file = at_high_number(made_file());
              int used_again = -1;
              in_parallel(
                  [&] {
                    close(file);
                    used_again = at_high_number(open(scratch(), O_RDONLY));
                  },
                  [&] { close(file); });
              const bool is_open = fcntl(used_again, F_GETFD) != -1;
              remove_file(used_again);
              check(is_open);
            }},
        Race{"LinesThatStreamsOfTheStandardWrite",
            [] {
              std::ofstream file(scratch(), std::ios::trunc);
              in_parallel([] { std::ofstream(scratch(), std::ios::app) << "one"; },
                  [] { std::ofstream(scratch(), std::ios::app) << "two"; });
              std::string text;
              std::ifstream(scratch()) >> text;
              unlink(scratch());
              check(text == "onetwo");
            }}),
    [](const auto& each) { return each.param.name; });

/// Passes under every schedule, and has so many classes.
struct Passing {
  const char* name;
  std::uint64_t classes;
  void (*body)();
};
class AFile : public testing::TestWithParam<Passing> {};

TEST_P(AFile, IsSharedInSoManyWays) {
  const Report report = explored(GetParam().body);
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.classes, GetParam().classes) << report;
  EXPECT_EQ(report.note, "");
}

INSTANTIATE_TEST_SUITE_P(Each, AFile,
    testing::Values(Passing{"OfOneThreadEach", 1,
                        [] {
                          const int one = made_file();
                          const int other = open(other_scratch().c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
                          in_parallel([&] { write_to(one, "1", 1); }, [&] { write_to(other, "2", 1); });
                          close(other);
                          unlink(other_scratch().c_str());
                          remove_file(one);
                        }},
        Passing{"ThatIsOnlyRead", 1,
            [] {
              const int file = made_file();
              const auto look = [&] {
                char byte = 0;
                check(pread(file, &byte, 1, 0) == 0 && access(scratch(), R_OK) == 0);
              };
              in_parallel(look, look);
              remove_file(file);
            }},
        Passing{"WithoutAName", 2,
            [] {
              const int file = memfd_create("hocket", 0);
              in_parallel([&] { write_to(file, "1", 1); }, [&] { write_to(file, "2", 1); });
              close(file);
            }},
        Passing{"ThatIsAFolderWhichBothMake", 4,
            [] {
              in_parallel([] { check(mkdir(scratch(), 0700) == 0 || errno == EEXIST); },
                  [] { check(mkdir(scratch(), 0700) == 0 || errno == EEXIST); });
              rmdir(scratch());
            }}),
    [](const auto& each) { return each.param.name; });

TEST(AFileOfALock, OrdersWhatIsDoneUnderIt) {
  const Report report = explored([] {
    int counter = 0;
    const auto count = [&] {
      int lock = -1;
      while ((lock = open(scratch(), O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0) std::this_thread::yield();
      ++counter;
      unlink(scratch());
      close(lock);
    };
    in_parallel(count, count);
    check(counter == 2);
  });
  EXPECT_FALSE(report.failed()) << report;
}

TEST(AFileFromBeforeTheSearch, IsSaidNotToBePutBack) {
  const int file = made_file();
  const Report report = explored([file] { check(pwrite(file, "1", 1, 0) == 1); });
  remove_file(file);
  EXPECT_EQ(report.verdict, Verdict::passed_within_bound) << report;
  EXPECT_NE(report.note.find("not put back before each execution"), std::string::npos) << report;
  EXPECT_NE(report.note.find("a file (used at "), std::string::npos) << report;
}

TEST(AFileThatHadARandomName, IsKnownByTheOneThatItHasNow) {
  std::string random = other_scratch() + "-XXXXXX";
  close(mkstemp(random.data()));
  ASSERT_EQ(rename(random.c_str(), scratch()), 0);
  const FoundFailure failure = failure_of([] {
    const int file = open(scratch(), O_RDWR);
    in_parallel([&] { write_to(file, "1", 1); }, [&] { write_to(file, "2", 1); });
    close(file);
    check(false);
  });
  unlink(scratch());
  ASSERT_NE(failure.schedule, nullptr);
  const auto& choices = failure.schedule->choices;
  EXPECT_TRUE(std::any_of(choices.begin(), choices.end(),
      [](const auto& choice) { return choice.object.find("hocket-regular-") != std::string::npos; }));
}

TEST(ANameThatABodyLeaves, IsSaidNotToBePutBack) {
  unlink(scratch());
  const Report report = explored([] { close(open(scratch(), O_RDWR | O_CREAT, 0600)); });
  unlink(scratch());
  EXPECT_NE(report.note.find("the name of a file (used at "), std::string::npos) << report;
}

TEST(AFileThatABodyEmptiesFirst, NeedsNotBePutBack) {
  const Report report = explored([] {
    const int file = made_file();
    in_parallel([&] { write_to(file, "1", 1); }, [&] { write_to(file, "2", 1); });
    close(file);
  });
  unlink(scratch());
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.note, "");
}

TEST(NamesMadeByAnExecutionThatIsCutShort, AreRemoved) {
  std::filesystem::remove(scratch());
  const Report report = report_of(exhaustively({.keep_going = true}), [] {
    check(mkdir(scratch(), 0700) == 0);
    std::atomic<int> which{0};
    in_parallel([&] { which = 1; }, [&] { which = 2; });
    if (which == 1) check(false);
    rmdir(scratch());
  });
  EXPECT_EQ(report.failures.size(), 1U) << report;
  EXPECT_FALSE(std::filesystem::exists(scratch()));
}

}  // namespace

}  // namespace unmodified::files_of_disks
