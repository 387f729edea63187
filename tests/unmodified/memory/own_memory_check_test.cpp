// The check of OwnMemory, in code whose memory is put back before each execution.
#include "tests/support/own_memory_check.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

void allocates_in_two_threads() {
  std::unique_ptr<int> one;
  std::unique_ptr<int> other;
  in_parallel([&] { one = std::make_unique<int>(1); }, [&] { other = std::make_unique<int>(2); });
  two_steps();
}

// Otherwise it would look at each allocation of each execution, which takes longer than the executions.
TEST(TheCheckOfOwnMemory, RemembersWhatEarlierExecutionsHaveAllocated) {
  if (std::getenv("CHECK_OWN_MEMORY_OF_HOCKET") == nullptr) GTEST_SKIP() << "The check was not asked for.";
  const Report report = explored(allocates_in_two_threads);
  EXPECT_GE(report.executions, 2U);
  EXPECT_GE(hocket::test::allocations_of_bodies(), 2 * report.executions);
}

}  // namespace

}  // namespace unmodified
