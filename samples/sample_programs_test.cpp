// Tests what iterative context bounding finds in the sample programs and with how many preemptions, as the
// list of the programs says.
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

namespace {

class SamplePrograms : public testing::TestWithParam<SampleProgram> {};

TEST_P(SamplePrograms, PassWithoutTheirBugs) {
  expect_pass_within(3, GetParam().body);
}

TEST_P(SamplePrograms, FailWithAsManyPreemptionsAndThreadsAsTheListSays) {
  for (const Seeded& bug : GetParam().bugs) {
    SCOPED_TRACE(bug.name);
    const hocket::Report report = expect_failure_at(bug.bound, bug.kind, bug.words, bug.body);
    ASSERT_EQ(report.failures.size(), 1U);
    ASSERT_NE(report.failures[0].schedule, nullptr);
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

INSTANTIATE_TEST_SUITE_P(All, SamplePrograms, testing::ValuesIn(sample_programs()), name_of_test);

TEST(ABluetoothDriver, ServesOrRefusesEveryRequest) {
  expect_pass_exhaustively([] { test_bluetooth<BluetoothSeed::none>(); });
  expect_pass_within(3, [] { test_bluetooth<BluetoothSeed::none>(3); });
}

TEST(AFileSystem, GivesEveryInodeABlockOfItsOwnUnderEveryScheduleOfThreeProcesses) {
  expect_pass_exhaustively(
      [] { test_file_system<FileSystemSeed::none>({.inodes = 2, .blocks = 3, .processes = 3}); });
  expect_pass_exhaustively(
      [] { test_file_system<FileSystemSeed::none>({.inodes = 3, .blocks = 4, .processes = 3}); });
}

TEST(ATransactionManager, EndsEveryTransactionOnceWhenAllAreInOneBucket) {
  expect_pass_within(3, [] { test_transactions<TransactionSeed::none>(1); });
}

}  // namespace

}  // namespace samples
