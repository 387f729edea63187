// A body that ends its process, copies it, or never comes to an operation: told of in one sentence, status 1,
// and a schedule that replays. (crash_test.cpp has the signals, watchdog_test.cpp the patience.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/schedules/schedule_file.hpp"

#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/failure_of.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// A destructor that may not run in the middle of a search.
struct Loud {
  ~Loud() {
    if (runtime::is_controlled()) std::abort();
  }
};

void wait_in_a_real_mutex() {
  static std::mutex real;
  static const std::lock_guard guard(real);
  const auto* const same = &real;
  const_cast<std::mutex*>(same)->lock();
}
void read_from_an_empty_pipe() {
  int ends[2];
  char byte = 0;
  if (pipe(ends) == 0) static_cast<void>(!read(ends[0], &byte, 1));
}

struct Ending {
  const char* name;
  void (*end)();
  FailureKind kind;
  const char* message;  ///< in the file
  const char* printed;
  const char* line = nullptr;  ///< of the stack
};

void PrintTo(const Ending& ending, std::ostream* out) {
  *out << ending.name;
}

constexpr const char* kExit = "the body ended the process: it called exit(), quick_exit() or _exit()";
constexpr const char* kStuck = "a thread has run for 200 ms without reaching an operation";

// clang-format off
const std::vector<Ending> kEndings{
    {"Exit",      [] { std::exit(0); },                 FailureKind::exit, kExit, "thread 2 called exit() inside a test body; a body must return"},
    {"QuickExit", [] { std::quick_exit(0); },             FailureKind::exit, kExit, "thread 2 called quick_exit() inside a test body; a body must return"},
    {"ExitAtOnce", [] { _exit(0); },                      FailureKind::exit, kExit, "thread 2 called _exit() inside a test body; a body must return"},
    {"Fork",      [] { if (fork() == 0) _exit(0); },      FailureKind::exit, "the body called fork(), which would copy the search in the middle", "thread 2 called fork() in an execution, which would copy the search in the middle"},
    {"EndlessLoop", loop_on_plain_data,                   FailureKind::stuck, kStuck, "thread 2 has run for 200 ms without reaching an operation: it loops on plain data, or over calls that Hocket does not control", "loop_on_plain_data"},
    {"BlockingRead", read_from_an_empty_pipe,             FailureKind::stuck, "a thread has run for 200 ms without reaching an operation: it waits in read()", "thread 2 has run for 200 ms without reaching an operation: it waits in read(), which", "read_from_an_empty_pipe"},
    {"RealMutex", wait_in_a_real_mutex,                   FailureKind::stuck, "a thread has run for 200 ms without reaching an operation: it waits in a std::mutex or something else of the system's that threads wait for (futex)", "thread 2 has run for 200 ms without reaching an operation: it waits in a std::mutex or ", "wait_in_a_real_mutex"},
};
// clang-format on

class AnEnding : public ::testing::TestWithParam<Ending> {};

TEST_P(AnEnding, OfTheProcessLeavesAScheduleThatReplays) {
  static const Loud loud;
  const Ending& ending = GetParam();
  const Folder folder;
  const auto body = [&] {
    atomic<int> x{0};
    in_parallel([&] { x.store(1); },
        [&] {
          if (x.load() == 1 && x.load() == 1) ending.end();
        });
  };
  Options options = quietly();
  options.save_schedules = true;
  options.schedule_dir = folder.path();
  options.watchdog = 200ms;

  const ChildEnd found = in_supervised_child([&] { explore("ending", body, options); });
  EXPECT_TRUE(found.exited_with(1)) << found.status;
  EXPECT_THAT(found.output, HasSubstr(ending.printed));
  const std::string file = folder.path() / "ending.schedule.json";
  EXPECT_THAT(found.output, HasSubstr("its schedule is saved in " + file));
  if (ending.line != nullptr) {
    EXPECT_THAT(found.output, HasSubstr(ending.line));
    EXPECT_THAT(found.output, AnyOf(HasSubstr("  deaths_test.cpp:"), HasSubstr("  bodies.hpp:")));
  }

  ASSERT_TRUE(std::filesystem::exists(file));
  const Schedule written = read_schedule(file);
  EXPECT_FALSE(written.complete);
  EXPECT_EQ(to_string(written.kind), to_string(ending.kind));
  EXPECT_EQ(written.message, ending.message);

  Options again = options;
  again.replay = file;
  for (int n = 0; n < 2; ++n) {  // as it was written, and as the first replay completes it
    const ChildEnd replayed = in_supervised_child([&] { explore("ending", body, again); });
    EXPECT_TRUE(replayed.exited_with(1)) << replayed.status;
    EXPECT_THAT(replayed.output, HasSubstr("; its last operation was atomic.load at deaths_test.cpp:"));
    EXPECT_THAT(replayed.output, HasSubstr("the failure that is saved in " + file + " came again"));
    const Schedule completed = read_schedule(file);
    EXPECT_TRUE(completed.complete);
    EXPECT_EQ(to_string(completed.kind), to_string(ending.kind));
    EXPECT_EQ(completed.choices.size(), written.choices.size());
  }

  // The next search tries it first.
  Options next = options;
  next.try_saved = true;
  const ChildEnd tried = in_supervised_child([&] { explore("ending", body, next); });
  EXPECT_TRUE(tried.exited_with(1)) << tried.status;
  EXPECT_THAT(tried.output, HasSubstr("came again"));
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
      1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnEnding, ::testing::ValuesIn(kEndings), RowName());

TEST(AnEnding, InTheBodysOwnThreadIsToldOfAsWell) {
  const ChildEnd end = in_child([] {
    explore(
        "main", [] { std::exit(0); }, quietly());
  });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("main called exit() inside a test body"));
}

TEST(AnEnding, OutsideABodyIsNobodysBusiness) {
  const auto search = [] { expect_to_pass([] { in_parallel([] { choose(2); }, [] { choose(2); }); }); };
  EXPECT_TRUE(in_child([&] {
    search();
    std::exit(7);
  }).exited_with(7));
  EXPECT_TRUE(in_child([&] {
    search();
    if (fork() == 0) _exit(0);
    int status = 0;
    wait(&status);
    search();
    _exit(status == 0 ? 8 : 9);
  }).exited_with(8));
}

TEST(Processes, CanBeStartedByABody) {
  expect_to_pass([] {
    in_parallel(
        [] {
          check(std::system("true") == 0);
          choose(2);
        },
        [] {
          pid_t child = 0;
          std::string name = "false";
          char* arguments[] = {name.data(), nullptr};
          check(posix_spawnp(&child, name.c_str(), nullptr, nullptr, arguments, environ) == 0);
          int status = 0;
          waitpid(child, &status, 0);
          check(WEXITSTATUS(status) == 1);
        });
  });
}

}  // namespace

}  // namespace hocket::test
