// Tests that the list of sample programs is right about each program.
#include "samples/sample_programs.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <string>

#include <hocket/schedule.hpp>

#include "samples/expect_bound.hpp"

namespace samples {

// Otherwise GoogleTest would print the bytes of the object as part of the test's name.
static void PrintTo(const SampleProgram& program, std::ostream* out) {
  *out << program.name;
}

}  // namespace samples

namespace {

using samples::SampleProgram;
using samples::Seeded;

class SamplePrograms : public testing::TestWithParam<SampleProgram> {};

TEST_P(SamplePrograms, PassWithoutTheirBugs) {
  samples::expect_pass_within(2, GetParam().body);
}

TEST_P(SamplePrograms, FailWithAsManyPreemptionsAndThreadsAsTheListSays) {
  for (const Seeded& bug : GetParam().bugs) {
    SCOPED_TRACE(bug.name);
    const hocket::Report report = samples::explore(bug.body, samples::options(bug.bound));
    ASSERT_EQ(report.failures.size(), 1U) << report;
    EXPECT_EQ(report.failures[0].bound, bug.bound) << report;
    ASSERT_NE(report.failures[0].schedule, nullptr) << report;
    EXPECT_EQ(report.failures[0].schedule->threads.size(), GetParam().threads) << report;
  }
}

/// GoogleTest does not accept "work-stealing queue of size 3" as a name.
std::string name_of_test(const testing::TestParamInfo<SampleProgram>& program) {
  std::string name = program.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, SamplePrograms, testing::ValuesIn(samples::sample_programs()), name_of_test);

}  // namespace
