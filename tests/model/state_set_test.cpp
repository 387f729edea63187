#include "model/states/state_set.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace hocket::model::test {

namespace {

TEST(AStateSet, RefusesAnotherStateWhenItIsFull) {
  RawStateSet<int> set(Keeps::states, {0, 1}, 3);
  for (std::uint64_t n = 1; n <= 3; ++n) EXPECT_TRUE(set.insert({n, n << 32U}, static_cast<int>(n)).is_new);
  EXPECT_FALSE(set.insert({2, std::uint64_t{2} << 32U}, 2).is_new);
  EXPECT_THROW(set.insert({4, std::uint64_t{4} << 32U}, 4), StateSetIsFull);
  EXPECT_EQ(set.size(), 3);
  EXPECT_EQ(set.find({4, std::uint64_t{4} << 32U}, 4), nullptr);
}

}  // namespace

}  // namespace hocket::model::test
