#include "scheduler/process/status_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace hocket {

namespace {

using namespace std::chrono_literals;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

TEST(StatusLine, IsALineOfItsOwnEveryHalfMinuteWhereThereIsNoTerminal) {
  CaptureStderr();  // into a file
  StatusLine line;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(line.is_on_terminal());
  EXPECT_FALSE(line.is_due(begin + 29s));
  EXPECT_TRUE(line.is_due(begin + 31s));
  line.show("a million executions", begin + 31s);
  EXPECT_FALSE(line.is_due(begin + 60s));
  EXPECT_TRUE(line.is_due(begin + 61s));
  line.show("two million", begin + 61s);
  line.leave("bound 1 done");
  line.clear();
  EXPECT_EQ(GetCapturedStderr(), "a million executions\ntwo million\nbound 1 done\n");
}

TEST(StatusLine, IsNotWrittenForAShortSearch) {
  CaptureStderr();
  {
    StatusLine line;
    line.leave("bound 0 done");
    line.clear();
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

}  // namespace

}  // namespace hocket
