// The frontier: what is pending comes back as it was, and takes little room.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "scheduler/strategies/frontier.hpp"

namespace hocket::test {

namespace {

Frontier::Pending item(std::uint32_t n) {
  return {n, Frontier::pack(n, n % 7), ~n};
}

void push(Frontier::Stack& stack, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t n = begin; n < end; ++n) stack.push(item(n));
}

void expect_to_pop(Frontier::Stack& stack, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t n = end; n-- > begin;) {
    ASSERT_EQ(stack.size(), n + 1);
    ASSERT_FALSE(stack.empty());
    const Frontier::Pending popped = stack.pop();
    ASSERT_EQ(popped.parent, n);
    ASSERT_EQ(popped.unpacked().position, n);
    ASSERT_EQ(popped.unpacked().code, n % 7);
    ASSERT_EQ(popped.check, ~n);
  }
}

TEST(AStackOfPendingItems, GivesThemBackLastFirst) {
  Frontier::Stack stack;
  EXPECT_TRUE(stack.empty());
  push(stack, 0, 1000);
  expect_to_pop(stack, 300, 1000);
  push(stack, 300, 400);
  expect_to_pop(stack, 0, 400);
  EXPECT_TRUE(stack.empty());
  push(stack, 0, 20);
  expect_to_pop(stack, 0, 20);
}

TEST(AStackOfPendingItems, GoesUpAndDownAtEveryHeight) {
  Frontier::Stack stack;
  for (std::uint32_t height = 0; height < 600; ++height) {
    push(stack, height, height + 2);
    expect_to_pop(stack, height + 1, height + 2);
  }
  EXPECT_EQ(stack.size(), 600U);
}

TEST(AStackOfPendingItems, TakesAtMostSixteenBytesAnItemFromAHundredItemsOn) {
  Frontier::Stack stack;
  EXPECT_EQ(stack.bytes(), 0U);
  push(stack, 0, 100);
  for (std::uint32_t n = 100; n < 20'000; ++n) {
    EXPECT_LE(stack.bytes(), 16U * n);
    stack.push(item(n));
  }
}

TEST(TheFrontier, KnowsTheDeviationsOfAnItemWithAllItsParents) {
  Frontier frontier;
  // Each execution is a child of the one before and leaves one more child.
  Frontier::Pending pending{Frontier::kRoot, Frontier::pack(1, 4), 0};
  constexpr std::uint32_t kDepth = 200;
  for (std::uint32_t n = 2; n <= kDepth; ++n) {
    pending = {frontier.adopt(pending, 1), Frontier::pack(n, 4 * (n % 3)), 0};
  }
  std::vector<Deviation> deviations;
  frontier.deviations(pending, deviations);
  ASSERT_EQ(deviations.size(), kDepth);
  for (std::uint32_t n = 2; n <= kDepth; ++n) {
    EXPECT_EQ(deviations[n - 1].position, n);
    EXPECT_EQ(deviations[n - 1].code, 4 * (n % 3));
  }
}

TEST(TheFrontier, UsesTheRoomOfForgottenParentsAgain) {
  Frontier frontier;
  const auto descend = [&] {
    Frontier::Pending pending{Frontier::kRoot, Frontier::pack(1, 4), 0};
    for (std::uint32_t n = 2; n <= 100; ++n) pending = {frontier.adopt(pending, 1), Frontier::pack(n, 4), 0};
    frontier.adopt(pending, 0);
  };
  descend();
  const std::size_t bytes = frontier.bytes();
  for (int round = 0; round < 100; ++round) descend();
  EXPECT_EQ(frontier.bytes(), bytes);
}

}  // namespace

}  // namespace hocket::test
