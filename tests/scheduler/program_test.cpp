// Signals of a process that runs programs for its user.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "scheduler/process/program.hpp"

namespace hocket::test {

namespace {

TEST(ASignalThatComesWhileNoProgramRuns, IsPassedOnToTheNextOne) {
  const SignalsOfPrograms signals;
  std::raise(SIGTERM);
  EXPECT_EQ(run_program("/bin/sleep", {"sleep", "60"}).signal, SIGTERM);
  EXPECT_EQ(run_program("/bin/true", {"true"}).status, 0) << "and to that one alone";
}

TEST(ASignalThatComesWhileNoProgramRuns, IsNotPassedOnIfItWasSeen) {
  const SignalsOfPrograms signals;
  std::raise(SIGTERM);
  EXPECT_EQ(SignalsOfPrograms::see_last(), SIGTERM);
  const ProgramEnd end = run_program("/bin/true", {"true"});
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.status, 0);
}

/// A queue of so many programs, each a command line of a shell, that notes their ends.
struct QueueOfShells {
  std::vector<std::string> lines;
  std::size_t begun = 0;
  std::vector<int> statuses = std::vector<int>(lines.size(), -1);
  std::size_t at_once = 2;

  [[nodiscard]] ProgramQueue queue() {
    const auto next = [this]() -> std::optional<Program> {
      if (begun == lines.size()) return std::nullopt;
      return Program{"/bin/sh", {"sh", "-c", lines[begun++]}};
    };
    const auto ended = [this](std::size_t n, const ProgramEnd& end) {
      statuses[n] = end.signal != 0 ? -end.signal : end.status;
    };
    return {at_once, next, ended};
  }
};

TEST(AQueueOfPrograms, IsRunToItsEndByFewAtATime) {
  QueueOfShells shells{{"exit 3", "exit 4", "exit 5", "exit 6", "exit 7"}};
  EXPECT_EQ(run_programs(shells.queue()).signal, 0);
  EXPECT_EQ(shells.statuses, (std::vector<int>{3, 4, 5, 6, 7}));
}

TEST(AQueueOfPrograms, TellsWhichCannotBeRun) {
  int error = 0;
  bool is_begun = false;
  const auto next = [&]() -> std::optional<Program> {
    if (std::exchange(is_begun, true)) return std::nullopt;
    return Program{"/none", {"none"}};
  };
  run_programs(ProgramQueue{2, next, [&](std::size_t, const ProgramEnd& end) { error = end.error; }});
  EXPECT_EQ(error, ENOENT);
}

TEST(AQueueOfPrograms, BeginsNoOtherAfterASignalWhichThoseThatRunGet) {
  const std::string ends_its_parent = "kill -TERM $PPID; exec sleep 60";
  QueueOfShells shells{{"exec sleep 60", ends_its_parent, "exit 5"}};
  EXPECT_EQ(run_programs(shells.queue()).signal, SIGTERM);
  EXPECT_EQ(shells.statuses, (std::vector<int>{-SIGTERM, -SIGTERM, -1}));
}

TEST(AQueueOfPrograms, IsNotBegunIfASignalCameBefore) {
  const SignalsOfPrograms signals;
  std::raise(SIGTERM);
  QueueOfShells shells{{"exit 3"}};
  EXPECT_EQ(run_programs(shells.queue()).signal, SIGTERM);
  EXPECT_EQ(shells.begun, 0U);
  QueueOfShells others{{"exit 4"}};
  EXPECT_EQ(run_programs(others.queue()).signal, 0);
  EXPECT_EQ(others.statuses.front(), 4) << "the signal is of one queue alone";
}

TEST(AQueueOfPrograms, EndsWhenItsTimeIsOver) {
  QueueOfShells shells{{"exec sleep 60", "exec sleep 60", "exit 5"}};
  ProgramQueue queue = shells.queue();
  queue.deadline = std::chrono::steady_clock::now();
  EXPECT_TRUE(run_programs(queue).is_out_of_time);
  EXPECT_EQ(shells.statuses, (std::vector<int>{-SIGTERM, -SIGTERM, -1}));
}

TEST(AQueueOfPrograms, EndsThoseThatRunIfItsOwnerCannotGoOn) {
  const std::string file = testing::TempDir() + "hocket-queue-" + std::to_string(::getpid());
  QueueOfShells shells{{"echo $$ >" + file + "; exec sleep 60", "until [ -s " + file + " ]; do :; done"}};
  ProgramQueue queue = shells.queue();
  queue.ended = [](std::size_t, const ProgramEnd&) { throw std::runtime_error("full"); };
  EXPECT_THROW(run_programs(queue), std::runtime_error);
  pid_t process = 0;
  EXPECT_TRUE(std::ifstream(file) >> process);
  EXPECT_EQ(::kill(process, 0), -1) << "it has not ended";
  std::filesystem::remove(file);
}

}  // namespace

}  // namespace hocket::test
