#include "continued_output.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "../../scheduler/process/fresh_start.hpp"

namespace hocket::testing {

namespace {

using ::testing::TestInfo;
using ::testing::UnitTest;

class KeepsOrder final : public ::testing::EmptyTestEventListener {
  void OnTestProgramStart(const UnitTest& all) override {
    if (::testing::GTEST_FLAG(shuffle)) fresh_start::keep_order(all.random_seed());
  }
};

/// Discards standard output until GoogleTest has printed that the test begins in which the process has died.
class ContinuesOutput final : public ::testing::EmptyTestEventListener {
 private:
  void OnTestProgramStart(const UnitTest& /*all*/) override {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    flush();
    output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, fresh_start::kFileAside);
    if (output_ >= 0) dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }

  // GoogleTest's printer learns of this before the other listeners do.
  void OnTestStart(const TestInfo& test) override {
    if (fresh_start::has_ending(std::string(test.test_suite_name()) + "." + test.name())) go_on();
  }

  // And of this after them. If the test was left out this time, there is nothing more to wait for.
  void OnTestIterationEnd(const UnitTest& /*all*/, int /*iteration*/) override {
    if (!fresh_start::has_anything_left()) go_on();
  }

  void go_on() {
    if (output_ < 0) return;
    flush();
    dup2(output_, STDOUT_FILENO);
    close(std::exchange(output_, -1));
  }

  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }

  int output_ = -1;
};

}  // namespace

void continue_output() {
  UnitTest::GetInstance()->listeners().Append(new KeepsOrder);
  if (!fresh_start::is_one()) return;
  UnitTest::GetInstance()->listeners().Append(new ContinuesOutput);
  // Even if the command line asks for another order each time.
  if (const char* const seed = std::getenv(fresh_start::kOrderVariable); seed != nullptr)
    ::testing::GTEST_FLAG(random_seed) = std::atoi(seed);
}

}  // namespace hocket::testing
