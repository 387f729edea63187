// Where steps in headers are said to be: file and line belong together, and libraries that consist of headers
// show their own lines wherever they are installed.
#include <gtest/gtest.h>

#include <string>

#include <boost/lockfree/queue.hpp>
#include <hocket/hocket.hpp>
#include <hocket/schedule.hpp>

#include "tests/unmodified/support/std_bodies.hpp"

namespace unmodified {

void enter_a_gate_twice();  // gate.cpp

namespace {

TEST(AStepInAHeader, IsToldByTheHeadersNameWithItsLine) {
  const FoundFailure failure = failure_of(&enter_a_gate_twice);
  const std::string place = "gate.hpp:12";
  ASSERT_FALSE(failure.schedule->choices.empty());
  EXPECT_EQ(failure.schedule->choices[0].where, place);
  EXPECT_EQ(failure.where, place);
}

TEST(AStepInALibraryOfHeaders, IsToldWhereTheLibraryMakesIt) {
  const FoundFailure failure = failure_of([] {
    boost::lockfree::queue<int> queue(2);
    in_parallel([&] { queue.push(1); }, [&] { queue.push(2); });
    check(false, "to see the steps");
  });
  unsigned steps = 0;
  for (const auto& choice : failure.schedule->choices) {
    if (choice.is_value || choice.where.empty()) continue;
    ++steps;
    EXPECT_EQ(choice.where.find("places_test.cpp"), std::string::npos) << choice.where;
  }
  EXPECT_GT(steps, 10U);
}

}  // namespace

}  // namespace unmodified
