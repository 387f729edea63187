#include "continued_output.hpp"

#include <cstdlib>
#include <exception>
#include <string>

#include <gtest/gtest.h>

#include "../../scheduler/deaths/supervisor.hpp"
#include "../../scheduler/options/settings.hpp"
#include "../../scheduler/process/fresh_start.hpp"

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
  void OnTestProgramStart(const UnitTest& /*all*/) override { fresh_start::discard_output(); }

  // GoogleTest's printer learns of this before the other listeners do.
  void OnTestStart(const TestInfo& test) override {
    if (fresh_start::has_ending(std::string(test.test_suite_name()) + "." + test.name()))
      fresh_start::show_output();
  }

  // And of this after them. If the test was left out this time, there is nothing more to wait for.
  void OnTestIterationEnd(const UnitTest& /*all*/, int /*iteration*/) override {
    if (!fresh_start::has_anything_left()) fresh_start::show_output();
  }
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
