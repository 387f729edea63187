// The least number of preemptions of a class, where it is hard to find.
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/support/feedback_vertices.hpp"

namespace hocket {

namespace {

TEST(TheBoundOfAClass, IsTheLeastFeedbackVertexSetInHardInstances) {
  for (unsigned vertices = 1; vertices <= 4; ++vertices) {
    const std::uint64_t all = std::uint64_t{1} << (vertices * (vertices - 1));
    for (std::uint64_t mask = 0; mask < all; ++mask) {
      const test::Digraph graph = test::digraph(vertices, mask);
      EXPECT_EQ(test::cost_of_hard_class(graph).preemptions, test::least_feedback_vertices(graph))
          << vertices << " vertices, edges " << mask;
    }
  }
}

TEST(TheBoundOfAClass, CanBeLessThanThatOfAPrefix) {
  // Two threads have only stored, while a third one has ended: that takes a preemption of one of them. When
  // all are at their ends, each may have run without one.
  const test::ClassCost cost = test::cost_of_hard_class({3, {{0, 1}, {2, 0}}});
  EXPECT_EQ(cost.preemptions, 0U);
  EXPECT_EQ(cost.most_before, 1U);
}

}  // namespace

}  // namespace hocket
