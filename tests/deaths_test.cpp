// A body that ends its process, copies it, or never comes to an operation: told of in one sentence, status 1,
// and a schedule that replays. (crash_test.cpp has the signals.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hocket/scheduler/schedule_file.hpp>

#include "tests/bodies.hpp"
#include "tests/child_process.hpp"
#include "tests/failure_of.hpp"
#include "tests/folder.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

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
void loop_on_plain_data() {
  volatile bool ready = false;
  while (!ready) {
  }
}

void throw_a_number() {
  throw 42;
}
void throw_an_error() {
  throw std::runtime_error("out of a destructor");
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
constexpr const char* kStuck = "a thread has run for 200 ms without coming to an operation";

// clang-format off
const std::vector<Ending> kEndings{
    {"Exit",      [] { std::exit(0); },                 FailureKind::exit, kExit, "thread 2 called exit() in an execution: a body has to return"},
    {"QuickExit", [] { std::quick_exit(0); },             FailureKind::exit, kExit, "thread 2 called quick_exit() in an execution: a body has to return"},
    {"ExitAtOnce", [] { _exit(0); },                      FailureKind::exit, kExit, "thread 2 called _exit() in an execution: a body has to return"},
    {"Fork",      [] { if (fork() == 0) _exit(0); },      FailureKind::exit, "the body called fork(), which would copy the search in the middle", "thread 2 called fork() in an execution, which would copy the search in the middle"},
    {"EndlessLoop", loop_on_plain_data,                   FailureKind::stuck, kStuck, "thread 2 has run for 200 ms without coming to an operation: it loops on plain data, or it waits", "loop_on_plain_data"},
    {"BlockingRead", read_from_an_empty_pipe,             FailureKind::stuck, kStuck, "thread 2 has run for 200 ms without coming to an operation", "read_from_an_empty_pipe"},
    {"RealMutex", wait_in_a_real_mutex,                   FailureKind::stuck, kStuck, "thread 2 has run for 200 ms without coming to an operation", "wait_in_a_real_mutex"},
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

  const ChildEnd found = in_child([&] { explore("ending", body, options); });
  EXPECT_TRUE(found.exited_with(1)) << found.status;
  EXPECT_THAT(found.output, HasSubstr(ending.printed));
  const std::string file = folder.path() / "ending.schedule.json";
  EXPECT_THAT(found.output, HasSubstr("its schedule is saved in " + file));
  if (ending.line != nullptr) {
    EXPECT_THAT(found.output, HasSubstr(ending.line));
    EXPECT_THAT(found.output, HasSubstr("  deaths_test.cpp:"));
  }

  ASSERT_TRUE(std::filesystem::exists(file));
  const Schedule written = read_schedule(file);
  EXPECT_FALSE(written.complete);
  EXPECT_EQ(to_string(written.kind), to_string(ending.kind));
  EXPECT_EQ(written.message, ending.message);

  Options again = options;
  again.replay = file;
  for (int n = 0; n < 2; ++n) {  // as it was written, and as the first replay completes it
    const ChildEnd replayed = in_child([&] { explore("ending", body, again); });
    EXPECT_TRUE(replayed.exited_with(1)) << replayed.status;
    EXPECT_THAT(replayed.output, HasSubstr("the failure that is saved in " + file + " came again"));
    const Schedule completed = read_schedule(file);
    EXPECT_TRUE(completed.complete);
    EXPECT_EQ(to_string(completed.kind), to_string(ending.kind));
    EXPECT_EQ(completed.choices.size(), written.choices.size());
  }

  // The next search tries it first.
  Options next = options;
  next.try_saved = true;
  const ChildEnd tried = in_child([&] { explore("ending", body, next); });
  EXPECT_TRUE(tried.exited_with(1)) << tried.status;
  EXPECT_THAT(tried.output, HasSubstr("came again"));
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
      1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnEnding, ::testing::ValuesIn(kEndings),
    [](const ::testing::TestParamInfo<Ending>& row) { return std::string(row.param.name); });

TEST(AnEnding, InTheBodysOwnThreadIsToldOfAsWell) {
  const ChildEnd end = in_child([] {
    explore(
        "main", [] { std::exit(0); }, quietly());
  });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("main called exit() in an execution"));
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

// ---------------------------------------------------------------------------------------------------------------------
// The watchdog's patience

TEST(TheWatchdog, LetsASlowBodyGoOnThatComesToOperations) {
  Options options = quietly();
  options.watchdog = 100ms;
  options.max_executions = 2;
  const auto nap = [] { usleep(30'000); };
  const ChildEnd end = in_child([&] {
    explore(
        "slow",
        [&] {
          atomic<int> x{0};
          in_parallel(
              [&] {
                for (int n = 0; n < 8; ++n) {
                  nap();
                  x.fetch_add(1);
                }
              },
              [&] { x.fetch_add(1); });
        },
        options);
  });
  EXPECT_TRUE(end.exited_with(0)) << end.output;
}

TEST(TheWatchdog, DoesNotCountTimeInWhichTheProcessIsStopped) {
  Options options = quietly();
  options.watchdog = 2s;
  const ChildEnd end = in_child(
      [&] {
        explore(
            "stopped", [] { usleep(600'000); }, options);
      },
      [](pid_t child) {
        usleep(200'000);
        kill(child, SIGSTOP);
        usleep(3'000'000);
        kill(child, SIGCONT);
      });
  EXPECT_TRUE(end.exited_with(0)) << end.output;
}

TEST(TheWatchdog, CanBeSwitchedOffAndThenTheSecondCtrlCEndsTheProcess) {
  Options options = quietly();
  options.watchdog = 0s;
  const ChildEnd end = in_child([&] { explore("stuck", loop_on_plain_data, options); },
      [](pid_t child) {
        usleep(500'000);
        EXPECT_EQ(kill(child, SIGINT), 0);
        usleep(200'000);
        EXPECT_EQ(kill(child, SIGINT), 0);
      });
  EXPECT_TRUE(end.died_of(SIGINT)) << end.status << end.output;
}

TEST(TheWatchdog, LeavesTheSignalToABodyThatUsesIt) {
  static volatile std::sig_atomic_t urgent = 0;
  struct sigaction action {};
  struct sigaction previous {};
  action.sa_handler = [](int) { urgent = urgent + 1; };
  sigaction(SIGURG, &action, &previous);
  urgent = 0;
  expect_to_pass([] { std::raise(SIGURG); });
  std::raise(SIGURG);
  EXPECT_EQ(urgent, 2);
  sigaction(SIGURG, &previous, nullptr);
}

TEST(ADeath, WhileAFailedExecutionIsCleanedUpTellsOfTheFailureToo) {
  Options options = quietly();
  options.watchdog = 200ms;
  struct Stubborn {
    ~Stubborn() { loop_on_plain_data(); }
  };
  const ChildEnd end = in_child([&] {
    explore(
        "cleaning up",
        [] {
          const Stubborn stubborn;
          check(false, "the first to fail");
        },
        options);
  });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("(after the execution had failed: the first to fail)"));
}

// ---------------------------------------------------------------------------------------------------------------------
// Failures that meet other failures

TEST(TheFirstFailure, CountsWhenAnotherThreadFailsToo) {
  const FoundFailure failure = failure_of([] {
    atomic<int> x{0};
    in_parallel(
        [&] {
          x.store(1);
          check(false, "thread 1 fails");
        },
        [&] {
          x.store(2);
          check(false, "thread 2 fails");
        });
  });
  EXPECT_EQ(failure.message, "thread 1 fails");
}

TEST(TheFirstFailure, CountsWhenAnotherFollowsInTheUnwinding) {
  struct ThrowsAtItsEnd {
    ~ThrowsAtItsEnd() noexcept(false) { throw std::runtime_error("in the unwinding"); }
  };
  struct FailsAtItsEnd {
    ~FailsAtItsEnd() { check(false, "in the destructor"); }
  };
  for (int n = 0; n < 2; ++n) {  // the process has come to no harm
    const FoundFailure failure = failure_of([] {
      mutex m;
      in_parallel(
          [&] {
            const FailsAtItsEnd fails;
            const std::lock_guard guard(m);
            check(false, "the first");
          },
          [&] {
            const ThrowsAtItsEnd throws;
            const std::lock_guard guard(m);
          });
    });
    EXPECT_EQ(failure.message, "the first");
  }
}

TEST(AFailure, EndsThreadsThatHoldLocksWaitAndLockInDestructors) {
  struct LocksAtItsEnd {
    mutex& m;
    ~LocksAtItsEnd() { const std::lock_guard guard(m); }
  };
  Options options = exhaustively();
  options.keep_going = true;
  const Report report = explore(
      "everybody somewhere",
      [] {
        mutex m;
        mutex other;
        condition_variable condition;
        bool ready = false;
        in_parallel(
            [&] {
              std::unique_lock lock(m);
              condition.wait(lock, [&] { return ready; });
            },
            [&] {
              const LocksAtItsEnd locks{other};
              const std::lock_guard guard(m);
              throw std::runtime_error("while others wait");
            },
            [&] {
              const std::lock_guard guard(other);
              const std::lock_guard second(m);
              ready = true;
              condition.notify_all();
            });
      },
      options);
  ASSERT_EQ(report.failures.size(), 1U) << report;
  EXPECT_THAT(report.failures[0].message, HasSubstr("exception std::runtime_error left thread 2"));
  EXPECT_EQ(report.abandoned, 0U);
}

TEST(AnException, ThatLeavesADestructorOrMeetsAnotherEndsInTerminate) {
  struct Throws {
    ~Throws() { throw_an_error(); }  // NOLINT(bugprone-exception-escape): the point
  };
  const auto leaves_destructor = [] {
    atomic<int> x{0};
    name(x, "the counter");
    thread t([&] {
      const Throws throws;
      x.store(1);
    });
    t.join();
  };
  struct ThrowsAgain {
    ~ThrowsAgain() noexcept(false) { throw std::logic_error("the second"); }
  };
  const auto meets_another = [] {
    thread t([] {
      const ThrowsAgain again;
      throw std::runtime_error("the first");
    });
    t.join();
  };
  const FoundFailure one = failure_of(leaves_destructor);
  EXPECT_EQ(to_string(one.kind), "terminate");
  EXPECT_THAT(
      one.message, HasSubstr("std::terminate was called in thread 1, after an exception std::runtime_error: "
                             "out of a destructor; "
                             "its last operation was atomic.store on the counter at deaths_test.cpp:"));
  EXPECT_THAT(one.where, HasSubstr("deaths_test.cpp:"));
  const FoundFailure two = failure_of(meets_another);
  EXPECT_EQ(to_string(two.kind), "terminate");
  EXPECT_THAT(
      two.message, HasSubstr("std::terminate was called in thread 1, after an exception std::logic_error"));
}

TEST(AnException, OfAnyTypeIsNamed) {
  const FoundFailure number = failure_of([] {
    thread t([]() noexcept { throw_a_number(); });  // NOLINT(bugprone-exception-escape): the point
    t.join();
  });
  EXPECT_THAT(
      number.message, HasSubstr("std::terminate was called in thread 1, after an exception of type int"));
}

}  // namespace

}  // namespace hocket::test
