// Executions that find the program's memory as the last one has left it, on request.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "tests/unmodified/support/std_bodies.hpp"

namespace {

using hocket::Options;
using hocket::Report;
using hocket::Restore;
using hocket::Verdict;
using unmodified::check;
using unmodified::two_steps;

Options keeping_memory() {
  Options options = unmodified::exhaustively();
  options.restore = Restore::nothing;
  return options;
}

unsigned executions = 0;

TEST(WhereNothingIsPutBack, GlobalsStayAsTheLastExecutionLeftThem) {
  const auto body = [] {
    ++executions;
    two_steps();
  };
  EXPECT_EQ(unmodified::explored(body).executions, 2U);
  EXPECT_EQ(executions, 0U) << "by default they are put back";
  EXPECT_EQ(unmodified::explored(body, keeping_memory()).executions, 2U);
  EXPECT_EQ(executions, 4U) << "one that is not counted comes first, and the first is run twice";
}

int* cache = nullptr;

TEST(WhereNothingIsPutBack, BlocksOfTheHeapStayToo) {
  const int* address = nullptr;  // on the test's stack
  const Report report = unmodified::explored(keeping_memory(), [&] {
    if (cache == nullptr) cache = new int(7);
    check(*cache == 7, "the block is what it was");
    const auto passing = std::make_unique<int>(*cache);
    two_steps();
    if (address == nullptr) address = cache;
    check(cache == address, "and where it was");
  });
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(*cache, 7);
}

TEST(WhereNothingIsPutBack, ABlockMayBeFreedByALaterExecution) {
  static int* last = nullptr;
  const Report report = unmodified::explored(keeping_memory(), [] {
    delete last;
    last = new int(1);
    two_steps();
    check(*last == 1);
  });
  last = nullptr;  // for later tests it would lead to a block of theirs
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_EQ(report.classes, 2U);
}

TEST(WhereNothingIsPutBack, KeptBlocksAreSaidToComeFromEarlierExecutions) {
  static int* kept = nullptr;
  const hocket::FoundFailure failure = unmodified::failure_of(keeping_memory(), [] {
    if (kept == nullptr) {
      kept = new int[4];
    } else {
      int* end = kept + 4;
      __asm__ volatile("" : "+r"(end));
      check(*end == 0);
    }
  });
  kept = nullptr;
  EXPECT_EQ(failure.message,
      "main reads 4 bytes, 0 bytes past the end of a block of 16 bytes that an earlier execution allocated");
}

TEST(WhereNothingIsPutBack, AFailureThatDependsOnEarlierExecutionsIsToldOfAsThat) {
  static int turn = 0;
  const Report report =
      unmodified::report_of(keeping_memory(), [] { check(turn++ % 2 == 0, "every second time"); });
  EXPECT_EQ(report.verdict, Verdict::nondeterministic) << report;
}

TEST(AfterASearchThatPutNothingBack, TheNextOnesPutBackWhatItHasLeft) {
  unmodified::explored(keeping_memory(), [] {
    if (cache == nullptr) cache = new int(7);
  });
  ASSERT_NE(cache, nullptr);
  unmodified::explored([] {
    const auto block = std::make_unique<int>(8);
    check(*cache == 7 && block.get() != cache);
    two_steps();
  });
  EXPECT_EQ(*cache, 7);
}

}  // namespace
