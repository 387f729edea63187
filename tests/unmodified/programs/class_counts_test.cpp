// The same programs have the same happens-before classes at every bound, whether they are written with
// Hocket's types, instrumented or not, or with the standard library's.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>

#include "tests/support/counted_programs.hpp"
#include "tests/support/expected_counts.hpp"
#include "tests/support/row_name.hpp"

namespace hocket::test {

namespace {

struct SystemTypes {
  template <class T>
  using atomic = std::atomic<T>;
  using mutex = std::mutex;
  using condition_variable = std::condition_variable;
  using semaphore = std::counting_semaphore<>;
  using thread = std::thread;
};

class ClassCountsOfUnmodifiedCode : public ::testing::TestWithParam<Program> {};

TEST_P(ClassCountsOfUnmodifiedCode, AreThoseOfHocketsTypesWithIcb) {
  expect_the_counts_of(GetParam(), GetParam().body, "icb", GetParam().about.last_bound_of_icb,
      GetParam().about.one_execution_a_class);
}

TEST_P(ClassCountsOfUnmodifiedCode, AreThoseOfHocketsTypesWithCbPor) {
  const unsigned bound = GetParam().classes.back() <= 20'000 ? unbounded : GetParam().about.last_bound_of_icb;
  expect_the_counts_of(GetParam(), GetParam().body, "cb-por", bound, true);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ClassCountsOfUnmodifiedCode, ::testing::ValuesIn(programs<SystemTypes>()), RowName());
INSTANTIATE_TEST_SUITE_P(BlockingPrograms, ClassCountsOfUnmodifiedCode,
    ::testing::ValuesIn(blocking_programs<SystemTypes>()), RowName());

INSTANTIATE_TEST_SUITE_P(ProgramsOfHocketsTypes, ClassCountsOfUnmodifiedCode,
    ::testing::ValuesIn(programs<HocketTypes>()), RowName());
INSTANTIATE_TEST_SUITE_P(BlockingProgramsOfHocketsTypes, ClassCountsOfUnmodifiedCode,
    ::testing::ValuesIn(blocking_programs<HocketTypes>()), RowName());

}  // namespace

}  // namespace hocket::test
