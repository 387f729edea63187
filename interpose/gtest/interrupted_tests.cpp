#include "interrupted_tests.hpp"

#include <gtest/gtest.h>

#include "../../scheduler/process/interrupt.hpp"

namespace hocket::testing {

namespace {

class SkipsTests final : public ::testing::EmptyTestEventListener {
  /// GoogleTest does not run a test that is skipped by then.
  void OnTestStart(const ::testing::TestInfo& test) override {
    if (past_interruption().empty()) return;
    GTEST_MESSAGE_AT_(test.file(), test.line(), "", ::testing::TestPartResult::kSkip) << why_not_run();
  }
};

}  // namespace

void skip_tests_after_interruption() {
  ::testing::UnitTest::GetInstance()->listeners().Append(new SkipsTests);
}

std::string why_not_run() {
  return "not run after " + std::string(past_interruption());
}

}  // namespace hocket::testing
