// The watchdog's patience with bodies that come to no operation. (deaths_test.cpp has what it says and
// leaves.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <ctime>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/bodies.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(TheWatchdog, LetsASlowBodyGoOnThatComesToOperations) {
  const auto nap = [] { usleep(30'000); };
  const ChildEnd end = in_child([&] {
    report_of(quietly({.max_executions = 2, .watchdog = 100ms}), [&] {
      atomic<int> x{0};
      in_parallel(
          [&] {
            for (int n = 0; n < 8; ++n) {
              nap();
              x.fetch_add(1);
            }
          },
          [&] { x.fetch_add(1); });
    });
  });
  EXPECT_TRUE(end.exited_with(0)) << end.output;
}

TEST(TheWatchdog, DoesNotCountTimeInWhichTheProcessIsStopped) {
  const ChildEnd end = in_child([&] { report_of(quietly({.watchdog = 2s}), [] { usleep(600'000); }); },
      [](pid_t child) {
        usleep(200'000);
        kill(child, SIGSTOP);
        usleep(3'000'000);
        kill(child, SIGCONT);
      });
  EXPECT_TRUE(end.exited_with(0)) << end.output;
}

TEST(TheWatchdog, CanBeSwitchedOffAndThenTheSecondCtrlCEndsTheProcess) {
  const ChildEnd end = in_child([&] { explore("stuck", loop_on_plain_data, quietly({.watchdog = 0s})); },
      [](pid_t child) {
        usleep(500'000);
        EXPECT_EQ(kill(child, SIGINT), 0);
        usleep(200'000);
        EXPECT_EQ(kill(child, SIGINT), 0);
      });
  EXPECT_TRUE(end.died_of(SIGINT)) << end.status << end.output;
}

TEST(TheWatchdog, LetsCtrlCEndTheProcessIfTheBodyComesToNoOperationAnyMore) {
  for (void (*const body)() : {+[] { loop_on_plain_data(); }, +[] { pause(); }}) {
    const ChildEnd end = in_child([&] { explore("stuck", body, quietly({.watchdog = 1h})); },
        [](pid_t child) {
          usleep(500'000);
          EXPECT_EQ(kill(child, SIGINT), 0);
        });
    EXPECT_TRUE(end.died_of(SIGINT)) << end.status << end.output;
    EXPECT_THAT(end.output, HasSubstr("what runs does not come to its next operation"));
  }
}

/// Keeps the calling process on one processor, at which another process works, with a higher priority.
/// Returns that one's id.
pid_t be_starved() {
  cpu_set_t all;
  CPU_ZERO(&all);
  sched_getaffinity(0, sizeof all, &all);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
  const pid_t works = fork();
  if (works == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned n = 0;;) n = n + 1;
  }
  constexpr int kLeast = 19;
  setpriority(PRIO_PROCESS, 0, kLeast);
  return works;
}

void use_processor(std::chrono::nanoseconds time) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  for (const auto begun = used(); used() - begun < time;) {
  }
}

TEST(TheWatchdog, LetsABodyThatHardlyGetsAProcessorComeToItsNextOperationAfterCtrlC) {
  const ChildEnd end = in_child([] {
    const pid_t works = be_starved();
    const Report report = report_of(quietly(), [] {
      atomic<int> x{0};
      std::raise(SIGINT);
      use_processor(40ms);
      x.store(1);
    });
    EXPECT_EQ(report.verdict, Verdict::stopped);
    kill(works, SIGKILL);
    waitpid(works, nullptr, 0);
  });
  EXPECT_TRUE(end.exited_with(0)) << end.status << end.output;
  EXPECT_EQ(end.output, "");
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
  EXPECT_EQ(urgent, 3) << "an execution, its repetition, and this";
  sigaction(SIGURG, &previous, nullptr);
}

TEST(ADeath, WhileAFailedExecutionIsCleanedUpTellsOfTheFailureToo) {
  struct Stubborn {
    ~Stubborn() { loop_on_plain_data(); }
  };
  const ChildEnd end = in_child([&] {
    report_of(quietly({.watchdog = 200ms}), [] {
      const Stubborn stubborn;
      check(false, "the first to fail");
    });
  });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("(after the execution had failed: the first to fail)"));
}

}  // namespace

}  // namespace hocket::test
