// What reports say of a program that is compiled without -g.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const hocket::Report& report) {
  std::ostringstream text;
  text << report;
  return text.str();
}

hocket::Report report_of(bool keeps_going) {
  return hocket::explore(
      "names",
      [] {
        hocket::mutex lock;
        lock.lock();
        hocket::check(hocket::choose(2) == 0, "one");
        hocket::check(false, "the other");
      },
      hocket::Options{.keep_going = keeps_going, .save_schedules = false});
}

TEST(AProgramWithoutDebugInformation, HasNumbersForNamesAndSaysOnceWhatWouldHelp) {
  const std::string text = text_of(report_of(true));
  EXPECT_THAT(text, HasSubstr("mutex 1"));
  const std::size_t note = text.find("-g");
  ASSERT_NE(note, std::string::npos) << text;
  EXPECT_EQ(text.find("-g", note + 1), std::string::npos) << text;
}

TEST(AProgramWithoutDebugInformation, SaysNothingWhereNothingHasAName) {
  const hocket::Report report = hocket::explore(
      "names", [] { hocket::check(false, "it fails"); }, hocket::Options{.save_schedules = false});
  EXPECT_THAT(text_of(report), Not(HasSubstr("-g")));
}

}  // namespace
