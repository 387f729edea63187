// Failures that a file of suppressions names are not reported, but counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "scheduler/options/suppressions.hpp"
#include "scheduler/schedules/schedule.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/folder.hpp"

namespace hocket::test {

[[gnu::noinline]] void add_without_a_lock(var<int>& total) {
  total = total + 1;
}

[[gnu::noinline]] void lock_both(mutex& one, mutex& other) {
  const std::lock_guard outer(one);
  const std::lock_guard inner(other);
}

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(APattern, MatchesATextThatContainsIt) {
  EXPECT_TRUE(matches_pattern("Cache::get", "app::Cache::get_all"));
  EXPECT_FALSE(matches_pattern("Cache::get", "app::Cache::put"));
  EXPECT_FALSE(matches_pattern("a", ""));
}

TEST(APattern, MatchesAnyCharactersByAnAsterisk) {
  EXPECT_TRUE(matches_pattern("Cache::*get*all", "app::Cache::do_get_them_all_now"));
  EXPECT_FALSE(matches_pattern("Cache::*get*all$", "app::Cache::do_get_them_all_now"));
  EXPECT_TRUE(matches_pattern("*", ""));
}

TEST(APattern, IsBoundToTheEndsOfTheTextByACircumflexAndADollar) {
  EXPECT_TRUE(matches_pattern("^get$", "get"));
  EXPECT_FALSE(matches_pattern("^get$", "get_all"));
  EXPECT_FALSE(matches_pattern("^get", "do_get"));
  EXPECT_TRUE(matches_pattern("get$", "do_get"));
  EXPECT_TRUE(matches_pattern("^a*z$", "a to z"));
}

class SuppressedFailures : public ::testing::Test {
 protected:
  /// The options of a search with a file of suppressions that has this content.
  Options suppressing(const std::string& content) {
    const Options options = exhaustively({.suppressions = (folder_.path() / "known.supp").string()});
    std::ofstream(options.suppressions) << content;
    return options;
  }

  static void race_and_deadlock() {
    var<int> total{0};
    mutex first;
    mutex second;
    in_parallel([&] { add_without_a_lock(total), lock_both(first, second); },
        [&] { add_without_a_lock(total), lock_both(second, first); });
  }

  Report search(const std::string& content) {
    return explore("race and deadlock", &race_and_deadlock, suppressing(content));
  }

  /// What is wrong with the file's content.
  std::string complaint_about(const std::string& content) {
    try {
      search(content);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing";
  }

  const Folder folder_;
};

TEST_F(SuppressedFailures, DoNotHideThoseBehindThem) {
  const Report report = search("# known\n\nrace:add_without_a_lock\n");
  ASSERT_THAT(report.failures, SizeIs(1)) << report;
  EXPECT_EQ(report.failures[0].kind, FailureKind::deadlock);
}

TEST_F(SuppressedFailures, LetATestPassAndAreCounted) {
  const Report report = search("race:suppressions_test.cpp\r\n  deadlock : ^both$  \ndeadlock:lock_*th\n");
  EXPECT_EQ(report.verdict, Verdict::passed_exhaustively) << report;
  EXPECT_THAT(
      report.note, AllOf(HasSubstr("known.supp says"), HasSubstr("because of \"race:suppressions_test.cpp\""),
                       HasSubstr("1 failure because of \"deadlock:lock_*th\"")));
}

TEST_F(SuppressedFailures, AreOnlyThoseOfTheirKind) {
  const Report report = search("deadlock:add_without_a_lock\nmutex:add_without_a_lock\nrace:lock_both\n");
  ASSERT_THAT(report.failures, SizeIs(1)) << report;
  EXPECT_EQ(report.failures[0].kind, FailureKind::data_race);
}

TEST_F(SuppressedFailures, AreFoundByTheInnermostFunctionOfTheUsersCodeAlone) {
  EXPECT_EQ(search("race_top:add_without_a_lock$\n").failures.at(0).kind, FailureKind::deadlock);
  for (const char* const other : {"race_top:in_parallel\n", "race_top:hocket::var\n", "race_top:operator\n"})
    EXPECT_EQ(search(other).failures.at(0).kind, FailureKind::data_race) << other;
}

TEST_F(SuppressedFailures, AreNotThoseThatAKindDoesNotConcern) {
  EXPECT_EQ(search("signal:add\nthread:add\n").failures.at(0).kind, FailureKind::data_race);
}

TEST_F(SuppressedFailures, AreFoundByTheLibraryOnTheStack) {
  EXPECT_EQ(search("called_from_lib:hocket_tests\n").failures.at(0).kind, FailureKind::deadlock);
  EXPECT_EQ(search("called_from_lib:libnone.so\n").failures.at(0).kind, FailureKind::data_race);
}

TEST_F(SuppressedFailures, AreNotToldFromASavedFileEither) {
  Options options = exhaustively();
  options.save_schedules = options.try_saved = true;
  options.schedule_dir = folder_.path().string();
  ASSERT_TRUE(explore("race and deadlock", &race_and_deadlock, options).failed());
  Options suppressed = suppressing("race:add_without_a_lock\ndeadlock:lock_both\n");
  suppressed.save_schedules = suppressed.try_saved = true;
  suppressed.schedule_dir = options.schedule_dir;
  EXPECT_EQ(
      explore("race and deadlock", &race_and_deadlock, suppressed).verdict, Verdict::passed_exhaustively);
}

TEST_F(SuppressedFailures, AreInAFileWhoseLinesAreUnderstood) {
  EXPECT_THAT(complaint_about("race:a\nrase:b\n"),
      AllOf(HasSubstr("known.supp:2: \"rase:b\" is no suppression; write race:, deadlock:")));
  EXPECT_THAT(complaint_about("race:\n"), HasSubstr("known.supp:1: \"race:\" is no suppression"));
  EXPECT_THAT(complaint_about("race:a*b*c*d*e*f*g*h*i*j\n"), HasSubstr("is no suppression"));
  EXPECT_THAT(complaint_about("\x1b[31m\n"), HasSubstr("\"\\x1b[31m\" is no suppression"));
  Options options = exhaustively({.suppressions = (folder_.path() / "none").string()});
  EXPECT_THROW(report_of(options, [] {}), std::invalid_argument);
  options.suppressions = folder_.path().string();
  EXPECT_THROW(report_of(options, [] {}), std::invalid_argument);
}

}  // namespace

}  // namespace hocket::test
