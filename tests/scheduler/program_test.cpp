// Signals of a process that runs programs for its user.
#include <gtest/gtest.h>

#include <csignal>

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

}  // namespace

}  // namespace hocket::test
