#include "continued_output.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "../../scheduler/process/fresh_start.hpp"
#include "../../scheduler/search/settings.hpp"
#include "../../scheduler/search/supervisor.hpp"

namespace hocket::testing {

namespace {

using ::testing::TestInfo;
using ::testing::UnitTest;

/// If main() has called no function of Hocket, it is here that the process is split.
class BeginsRun final : public ::testing::EmptyTestEventListener {
  void OnTestProgramStart(const UnitTest& all) override {
    try {
      supervise(settings());
    } catch (const std::exception&) {
      // A setting is wrong, which a search says.
    }
    if (::testing::GTEST_FLAG(shuffle)) fresh_start::keep_order(all.random_seed());
  }
};

/// Discards standard output until GoogleTest has printed that the test begins in which the process has died.
class ContinuesOutput final : public ::testing::EmptyTestEventListener {
 private:
  void OnTestProgramStart(const UnitTest& /*all*/) override {
    flush();
    output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, fresh_start::kFileAside);
    const int nowhere = output_ < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;  // few files may be open: then what was printed before is printed again
    dup2(nowhere, STDOUT_FILENO);
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
  UnitTest::GetInstance()->listeners().Append(new BeginsRun);
  fresh_start::when_it_is_one([] {
    UnitTest::GetInstance()->listeners().Append(new ContinuesOutput);
    // Even if the command line asks for another order each time.
    if (const char* const seed = std::getenv(fresh_start::kOrderVariable); seed != nullptr)
      ::testing::GTEST_FLAG(random_seed) = std::atoi(seed);
  });
}

}  // namespace hocket::testing
