// The table of the bounds of a search: what is said of each, and that many of them are folded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/bodies.hpp"

namespace hocket::test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TheTableOfBounds, FoldsManyBoundsAndShowsTheFirstTheLastAndThoseThatFail) {
  Report report;
  report.bounds.resize(120, {.executions = 2, .classes = 1, .failures = 0, .complete = true});
  report.bounds[60].failures = 1;
  report.bounds[119].complete = false;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("\n            3             2           1         0\n"
                              "      4 to 59           112          56         0\n"
                              "           60             2           1         1\n"
                              "    61 to 117           114          57         0\n"
                              "          118             2           1         0\n"
                              "          119             2           1         0   not all\n"));
}

TEST(TheTableOfBounds, ShowsAFewBoundsInFull) {
  Report report;
  report.bounds.resize(16, {.executions = 2, .classes = 1, .failures = 0, .complete = true});
  EXPECT_THAT(to_text(report), Not(HasSubstr(" to ")));
}

}  // namespace

}  // namespace hocket::test
