// The watchdog in a body whose clocks are virtual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <functional>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tests/support/child_process.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

using namespace std::chrono_literals;
using hocket::test::ChildEnd;
using hocket::test::in_child;
using ::testing::HasSubstr;

TEST(TheWatchdog, LooksAtTheRealClockAndMakesNoStepOfTheBodys) {
  Options options = exhaustively();
  options.watchdog = 100ms;  // it looks four times as often
  options.time_limit = 400ms;
  const Report report = report_of(options, [] {
    std::atomic<int> n{0};
    const auto many = [&] {
      for (int i = 0; i < 7; ++i) n.fetch_add(1);
    };
    in_parallel(many, many, many);
  });
  EXPECT_EQ(report.verdict, Verdict::stopped) << report;
  EXPECT_EQ(report.executions, report.classes);
}

char many_bytes[1'000'000];

// The first access to an address takes longer than others.
TEST(TheWatchdog, LetsAThreadGoOnThatComesToNewMemory) {
  const auto write = [] {
    for (char& byte : many_bytes) byte = 'a';
  };
  explored([&] { in_parallel(write); }, exhaustively({.watchdog = 40ms}));
}

// --- Calls of the system that Hocket does not control

/// Runs a search whose second thread makes `call`, in a process of its own.
ChildEnd end_of(const std::function<void()>& call) {
  return in_child([&] {
    report_of(exhaustively({.watchdog = 100ms}), [&] { in_parallel([] {}, call); });
    std::puts("passed");
  });
}

/// For changes of files that nobody asks for, which would come from outside.
long wait_in_epoll() {
  const int epoll = epoll_create1(0);
  epoll_event one{};
  one.events = EPOLLIN;
  epoll_ctl(epoll, EPOLL_CTL_ADD, inotify_init(), &one);
  return epoll_wait(epoll, &one, 1, -1);
}

TEST(ACallThatNothingEnds, IsToldOfWithItsThreadItsNameAndItsPlace) {
  const ChildEnd end = end_of([] { wait_in_epoll(); });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output,
      HasSubstr(
          "hocket: thread 2 has run for 100 ms without reaching an operation: it waits in epoll_wait(), "));
  EXPECT_THAT(end.output, HasSubstr("It is here, called from the lines below:\n  watchdog_test.cpp:"));
  EXPECT_THAT(end.output, HasSubstr("unmodified::wait_in_epoll"));
}

TEST(ACallThatNothingEnds, IsToldOfInALoopThatMakesItAgainWheneverItIsInterrupted) {
  const ChildEnd end = end_of([] {
    while (wait_in_epoll() < 0 && errno == EINTR) {
    }
  });
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_THAT(end.output, HasSubstr("it waits in epoll_wait()"));
}

TEST(ACallWithATimeout, IsNotDisturbedByTheWatchdog) {
  Options options = quietly();
  options.watchdog = 120ms;  // it looks every 30 ms
  options.max_executions = 1;
  const Report report = report_of(options, [] {
    pollfd none{};
    check(poll(&none, 0, 50) == 0, "it was disturbed");
  });
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_EQ(report.note, "") << "the program has started no thread, the watchdog has";
}

}  // namespace

}  // namespace unmodified
