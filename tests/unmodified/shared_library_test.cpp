// A shared library that is instrumented, as its users are.
#include <gtest/gtest.h>

#include "tests/unmodified/shared_counter.hpp"
#include "tests/unmodified/std_bodies.hpp"

namespace unmodified {

namespace {

TEST(ASharedLibrary, HasItsRacesFoundAndToldOfByLineAndVariable) {
  const hocket::FoundFailure failure = failure_of([] { in_parallel(count_in_library, count_in_library); });
  EXPECT_EQ(failure.kind, hocket::FailureKind::data_race);
  EXPECT_NE(failure.message.find("total_of_library at shared_counter.cpp:15"), std::string::npos)
      << failure.message;
}

// Its data is not put back.
TEST(ASharedLibrary, HasItsMutexesControlled) {
  const hocket::Report report = explored([] {
    const int before = counted_in_library();
    in_parallel(count_in_library_locked, count_in_library_locked);
    check(counted_in_library() == before + 2, "the mutex does not exclude");
  });
  EXPECT_EQ(report.classes, 2U);
}

}  // namespace

}  // namespace unmodified
