// A shared library that is instrumented, as its users are.
#include <gtest/gtest.h>

#include "tests/unmodified/programs/shared_counter.hpp"
#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(ASharedLibrary, HasItsRacesFoundAndToldOfByLineAndVariable) {
  const FoundFailure failure = failure_of([] { in_parallel(shared_library::count, shared_library::count); });
  EXPECT_EQ(failure.kind, FailureKind::data_race);
  EXPECT_NE(failure.message.find("total_of_library at shared_counter.cpp:20"), std::string::npos)
      << failure.message;
}

TEST(ASharedLibrary, HasItsMutexesControlledAndItsDataPutBack) {
  const Report report = explored([] {
    check(shared_library::counted() == 0, "an earlier execution has left something");
    in_parallel(shared_library::count_locked, shared_library::count_locked);
    check(shared_library::counted() == 2, "the mutex does not exclude");
  });
  EXPECT_EQ(report.classes, 2U);
}

// The nodes come from a heap that is emptied between executions.
TEST(ASharedLibrary, KeepsNothingThatAnExecutionHasAllocated) {
  explored([] {
    in_parallel([] { shared_library::remember("one text"); }, [] { shared_library::remember("another"); });
    check(shared_library::remembered() == 2, "an earlier execution has left something");
  });
}

TEST(ASharedLibrary, MayHaveLargeData) {
  explored([] {
    check(shared_library::byte(500'000)++ == 0, "an earlier execution has left something");
    in_parallel(shared_library::count_locked, [] {
      if (shared_library::counted_locked() == 0) return;
      check(shared_library::byte(700'000)++ == 0, "an earlier execution has left something");
    });
  });
  EXPECT_EQ(shared_library::byte(500'000), 0);
}

TEST(TwoSharedLibraries, HaveObjectsOfTheirOwnAtTheSamePlace) {
  const Report report =
      explored([] { in_parallel(shared_library::count_locked, other_library::count_locked); });
  EXPECT_EQ(report.classes, 1U);
}

}  // namespace

}  // namespace unmodified
