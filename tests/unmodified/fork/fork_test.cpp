// Executions in child processes, which leave nothing behind.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hocket/gtest.hpp>

#include "tests/support/child_process.hpp"
#include "tests/support/folder.hpp"
#include "tests/unmodified/fork/library.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace {

using namespace std::chrono_literals;
using hocket::Options;
using hocket::Report;
using hocket::Restore;
using hocket::Verdict;
using hocket::test::ChildEnd;
using hocket::test::in_child;
using unmodified::check;
using unmodified::two_steps;

Options forking(Options options = unmodified::exhaustively()) {
  options.restore = Restore::fork;
  return options;
}

/// `body`, with what it checks about its process, passes in each of its executions.
void expect_to_find_all_as_it_was(const std::function<void()>& body) {
  const Report report = unmodified::explored(forking(), [&] {
    body();
    two_steps();
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.executions, 2U);
}

// --- What an execution does to its process

TEST(AfterAnExecution, DataOfASharedLibraryIsAsItWas) {
  expect_to_find_all_as_it_was([] { check(library::count() == 1, "called before"); });
  EXPECT_EQ(library::calls(), 0) << "nor does the program see it";
}

TEST(AfterAnExecution, WhatStrtokRemembersIsAsItWas) {
  static char before[] = "a b";
  ASSERT_STREQ(std::strtok(before, " "), "a");
  expect_to_find_all_as_it_was([] {
    const char* const next = std::strtok(nullptr, " ");
    check(next != nullptr && std::string(next) == "b", "another has gone on");
    char text[] = "c d";
    std::strtok(text, " ");
  });
}

TEST(AfterAnExecution, PipesAndCountersOfEventsFromBeforeHoldWhatTheyHeld) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  const int counter = eventfd(5, EFD_NONBLOCK);
  ASSERT_EQ(write(ends[1], "ab", 2), 2);
  expect_to_find_all_as_it_was([&] {
    eventfd_t count = 0;
    check(eventfd_read(counter, &count) == 0 && count == 5, "another count");
    check(write(ends[1], "c", 1) == 1, "the pipe is full");
    std::array<char, 9> bytes{};
    check(read(ends[0], bytes.data(), bytes.size()) == 3 && bytes[2] == 'c', "other bytes");
  });
  for (const int end : {ends[0], ends[1], counter}) close(end);
}

TEST(AfterAnExecution, TheEnvironmentIsAsItWas) {
  expect_to_find_all_as_it_was([] {
    check(std::getenv("HOCKET_FORK_TEST") == nullptr, "set before");
    setenv("HOCKET_FORK_TEST", "1", 1);
  });
}

TEST(AfterAnExecution, ADescriptorThatItHasOpenedIsClosed) {
  expect_to_find_all_as_it_was([] {
    static int first = -1;
    const int opened = open("/dev/null", O_RDONLY);
    check(first == -1 && fcntl(opened + 1, F_GETFD) == -1, "one is left");
    first = opened;
  });
}

TEST(AfterAnExecution, HandlersOfSignalsAreAsTheyWere) {
  expect_to_find_all_as_it_was(
      [] { check(std::signal(SIGUSR1, [](int) {}) == SIG_DFL, "a handler is left"); });
}

TEST(AfterAnExecution, GlobalsAreAsTheyWereHoweverLarge) {
  library::middle() = 1;
  expect_to_find_all_as_it_was([] { check(library::middle()++ == 1, "written before"); });
  EXPECT_EQ(library::middle(), 1);
}

TEST(AfterAnExecution, WhatTheTestHasOnItsStackIsAsItWas) {
  int executions = 0;
  expect_to_find_all_as_it_was([&] { check(executions++ == 0); });
  EXPECT_EQ(executions, 0);
}

TEST(AfterAnExecution, BlocksFromBeforeTheSearchAreAsTheyWere) {
  std::vector<int> numbers{1, 2, 3};
  expect_to_find_all_as_it_was([&] {
    check(numbers.size() == 3, "changed before");
    numbers.clear();
    numbers.shrink_to_fit();
  });
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3}));
}

TEST(AfterAnExecution, SharedMemoryFromBeforeTheSearchIsAsItWas) {
  constexpr std::size_t kSize = 4096;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& number = *static_cast<int*>(memory);
  number = 3;
  expect_to_find_all_as_it_was([&] { check(number++ == 3, "written before"); });
  munmap(memory, kSize);
}

// --- Searches

void mutex_and_condition() {
  std::mutex mutex;
  std::condition_variable filled;
  bool is_filled = false;
  unmodified::in_parallel(
      [&] {
        std::unique_lock lock(mutex);
        filled.wait(lock, [&] { return is_filled; });
      },
      [&] {
        const std::lock_guard lock(mutex);
        is_filled = true;
        filled.notify_one();
      });
}

void three_threads() {
  std::atomic<int> n{0};
  unmodified::in_parallel([&] { n.fetch_add(1); }, [&] { n.fetch_add(1); },
      [&] {
        if (n.load() == 2) new int(7);
      });
}

void threads_that_start_threads() {
  thread_local int mine = 0;
  std::atomic<int> sum{0};
  const auto add = [&] {
    check(++mine == 1, "thread_local variables begin afresh");
    sum += mine;
  };
  unmodified::in_parallel([&] { unmodified::in_parallel(add, add); }, add);
  check(sum == 3);
}

void count_tries() {
  std::mutex mutex;
  std::atomic<int> tries{0};
  std::thread holder([&] { const std::lock_guard lock(mutex); });
  do tries.fetch_add(1);
  while (!mutex.try_lock());
  mutex.unlock();
  holder.join();
}

TEST(ASearchInChildProcesses, ExploresLoopsThatRetryAsIfTheyYielded) {
  for (const char* strategy : {"icb", "cb-por", "mix"}) {
    SCOPED_TRACE(strategy);
    Options options = unmodified::quietly();
    options.strategy = strategy;
    options.max_preemptions = 1;
    options.max_executions = 200;
    options.max_steps = 1'000;
    const Report in_children = hocket::explore("retries", &count_tries, forking(options));
    const Report in_process = hocket::explore("retries", &count_tries, options);
    EXPECT_FALSE(in_children.failed()) << in_children;
    EXPECT_EQ(in_children.note, in_process.note);
    EXPECT_EQ(in_children.executions, in_process.executions);
    EXPECT_EQ(in_children.classes, in_process.classes);
  }
}

TEST(ASearchInChildProcesses, MeetsTheSameClassesAsOneWithASnapshot) {
  for (const auto& body : {&two_steps, &mutex_and_condition, &three_threads, &threads_that_start_threads}) {
    for (const char* strategy : {"icb", "dfs", "hb-cache", "icb-por", "cb-por-basic", "cb-por", "mix"}) {
      SCOPED_TRACE(strategy);
      Options options = unmodified::quietly();
      options.strategy = strategy;
      options.max_preemptions = 1;
      options.max_executions = 200;
      const Report in_children = hocket::explore("same", body, forking(options));
      const Report in_process = hocket::explore("same", body, options);
      EXPECT_EQ(in_children.verdict, in_process.verdict) << in_children << in_process;
      EXPECT_EQ(in_children.executions, in_process.executions);
      EXPECT_EQ(in_children.classes, in_process.classes);
      EXPECT_EQ(in_children.steps, in_process.steps);
    }
  }
}

TEST(ASearchInChildProcesses, LeavesNoChildBehind) {
  unmodified::explored(&two_steps, forking());
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
}

TEST(ASearchInChildProcesses, TellsTheProgramOfNoChild) {
  static volatile std::sig_atomic_t told = 0;
  const auto before = std::signal(SIGCHLD, [](int) { told = 1; });
  unmodified::explored(&two_steps, forking());
  std::signal(SIGCHLD, before);
  EXPECT_EQ(told, 0);
}

TEST(ASearchInChildProcesses, GoesOnAfterFailuresAndRecordsEach) {
  Options options = forking();
  options.keep_going = true;
  const Report report = unmodified::report_of(options, [] {
    library::count();
    const unsigned number = hocket::choose(3);
    if (number == 1) check(false, "one");
    if (number == 2) check(library::count() == 3, "two");
  });
  ASSERT_EQ(report.failures.size(), 2U) << report;
  EXPECT_EQ(report.failures[0].message, "two");
  EXPECT_EQ(report.failures[1].message, "one");
}

TEST(ASearchInChildProcesses, ShowsWhatTheFailingExecutionHasPrinted) {
  const hocket::FoundFailure failure = unmodified::failure_of(forking(), [] {
    std::printf("hello from %d\n", library::count());
    check(false);
  });
  EXPECT_EQ(failure.output, "hello from 1\n");
}

TEST(ASearchInChildProcesses, NamesWhatIsFromBeforeIt) {
  static std::vector<int> numbers{1};
  const hocket::FoundFailure failure = unmodified::failure_of(
      [] { unmodified::in_parallel([] { numbers[0] = 2; }, [] { numbers[0] = 3; }); }, forking());
  EXPECT_NE(failure.message.find("block 1 of"), std::string::npos) << failure.message;
}

TEST(ASearchInChildProcesses, EndsWithCtrlCThatTheParentAloneIsToldOf) {
  const ChildEnd end = in_child([] {
    const pid_t parent = getpid();
    const Report report = unmodified::report_of(forking(), [&] {
      if (hocket::choose(100) == 50) kill(parent, SIGINT);
    });
    std::fputs(hocket::to_text(report).c_str(), stdout);
    std::fputs(hocket::to_text(hocket::explore("next", &two_steps, forking())).c_str(), stdout);
  });
  EXPECT_NE(end.output.find("body: stopped by Ctrl-C before everything was covered"), std::string::npos)
      << end.output;
  EXPECT_NE(end.output.find("next: not searched: Ctrl-C has ended an earlier search"), std::string::npos)
      << end.output;
}

// --- Failures that are saved

TEST(AFailureInAChildProcess, ComesAgainInAReplayAndInALaterSearch) {
  const hocket::test::Folder folder;
  Options options = forking();
  options.save_schedules = options.try_saved = true;
  options.schedule_dir = folder.path().string();
  const auto body = [] {
    check(library::count() == 1);
    std::atomic<int> n{0};
    unmodified::in_parallel([&] { n = n + 1; }, [&] { n = n + 1; });
    check(n == 2, "lost an update");
  };
  const Report found = hocket::explore("saved", body, options);
  ASSERT_EQ(found.verdict, Verdict::failed) << found;
  const Report again = hocket::explore("saved", body, options);
  EXPECT_TRUE(again.from_saved) << again;

  const ChildEnd replayed = in_child([&] {
    Options replaying = options;
    replaying.restore = Restore::snapshot;  // the file knows better
    replaying.replay = found.failures.at(0).schedule_file;
    const Report report = hocket::explore("saved", body, replaying);
    std::fputs(hocket::to_text(report).c_str(), stdout);
    if (library::count() != 2) std::puts("not in the process itself");
  });
  EXPECT_NE(replayed.output.find("replayed, and it failed again"), std::string::npos) << replayed.output;
  EXPECT_EQ(replayed.output.find("not in the process"), std::string::npos) << replayed.output;
}

// --- Deaths. What dies is a child of the child that makes the search.

ChildEnd death_of(
    const std::function<void()>& body, const std::filesystem::path& folder, Options options = {}) {
  return in_child([&] {
    options.restore = Restore::fork;
    options.schedule_dir = folder.string();
    hocket::explore("dies", body, options);
    std::puts("survived");
  });
}

std::size_t count_of(const std::string& words, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

TEST(ADeathInAChildProcess, BySignalIsThatOfTheProgramAndIsToldOfOnce) {
  const hocket::test::Folder folder;
  const ChildEnd end = death_of([] { *static_cast<volatile int*>(nullptr) = 1; }, folder.path());
  EXPECT_TRUE(end.died_of(SIGSEGV)) << end.status;
  EXPECT_EQ(count_of("got SIGSEGV in an execution", end.output), 1U) << end.output;
  EXPECT_EQ(count_of("hocket: ", end.output), 1U) << end.output;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "dies.schedule.json")) << end.output;
}

TEST(ADeathInAChildProcess, ByExitIsToldOfAndEndsTheProgramWithStatus1) {
  for (const auto leave : {+[] { std::exit(0); }, +[] { _exit(0); }}) {
    const hocket::test::Folder folder;
    const ChildEnd end = death_of(leave, folder.path());
    EXPECT_TRUE(end.exited_with(1)) << end.status;
    EXPECT_EQ(count_of("a body must return", end.output), 1U) << end.output;
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "dies.schedule.json")) << end.output;
  }
}

TEST(ADeathInAChildProcess, OfWhichItCannotTellIsToldOfByTheParent) {
  const hocket::test::Folder folder;
  const ChildEnd killed = death_of([] { std::raise(SIGKILL); }, folder.path());
  EXPECT_TRUE(killed.died_of(SIGKILL)) << killed.status;
  EXPECT_NE(
      killed.output.find(
          "the process got SIGKILL, as the system sends it when memory runs out, in an execution of dies"),
      std::string::npos)
      << killed.output;
}

TEST(ADeathInAChildProcess, ByTheWatchdogEndsTheProgram) {
  const hocket::test::Folder folder;
  const ChildEnd end = death_of(
      [] {
        for (;;) __asm__ volatile("");  // Clang's hooks tell of a volatile variable
      },
      folder.path(), {.watchdog = 200ms});
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_EQ(count_of("has run for 200 ms without reaching an operation", end.output), 1U) << end.output;
}

TEST(ADeathInAChildProcess, ByTheWatchdogTellsTheCallInWhichItWaits) {
  const hocket::test::Folder folder;
  const ChildEnd end = death_of([] { poll(nullptr, 0, -1); }, folder.path(), {.watchdog = 100ms});
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_EQ(count_of("has run for 100 ms without reaching an operation: it waits in poll()", end.output), 1U)
      << end.output;
}

TEST(ADeathInAChildProcess, ComesWithThatOfItsParent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  in_child([&] {
    close(ends[0]);
    Options options = forking();
    options.watchdog = 0s;
    const pid_t parent = getpid();
    unmodified::report_of(options, [&] {
      kill(parent, SIGKILL);
      for (;;) pause();
    });
  });
  close(ends[1]);
  char nothing = 0;
  EXPECT_EQ(read(ends[0], &nothing, 1), 0) << "the end of the pipe that the orphan would hold";
  close(ends[0]);
}

TEST(ASearchInChildProcesses, IsRefusedAfterOneThatLeftItsMemoryElsewhere) {
  const ChildEnd end = in_child([] {
    unmodified::explored(&two_steps);
    try {
      unmodified::explored(&two_steps, forking());
    } catch (const std::logic_error& error) {
      std::puts(error.what());
    }
  });
  // Where a test before this one has made such a search there is nothing to refuse.
  if (end.output.empty()) GTEST_SKIP() << "only in a process of its own";
  EXPECT_NE(end.output.find("must be the first of the process; set HOCKET_RESTORE=fork"), std::string::npos)
      << end.output;
}

// --- In GoogleTest

Options in_gtest() {
  return forking(unmodified::quietly());
}

TEST(InABodyOfGoogleTest, AnAssertionThatFailsInAChildProcessIsReported) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    hocket::testing::run_test(
        "Body", "Expects", [] { unmodified::in_parallel([] { EXPECT_EQ(library::count(), 3); }); },
        in_gtest());
  }
  ASSERT_EQ(results.size(), 1);
  const std::string report = results.GetTestPartResult(0).message();
  EXPECT_NE(report.find("Expected equality of these values"), std::string::npos) << report;
}

TEST(InABodyOfGoogleTest, ASkipInAChildProcessSkipsTheTest) {
  const ChildEnd end = in_child([] {
    hocket::testing::run_test(
        "Body", "Skips", [] { GTEST_SKIP() << "not today"; }, in_gtest());
    std::puts(::testing::Test::IsSkipped() ? "the test is skipped" : "it is not");
  });
  EXPECT_NE(end.output.find("the test is skipped"), std::string::npos) << end.output;
}

HOCKET_TEST_WITH(
    InABodyOfGoogleTest, APassIsAPass, {.restore = hocket::Restore::fork, .save_schedules = false}) {
  two_steps();
  EXPECT_EQ(library::count(), 1);
}

}  // namespace
