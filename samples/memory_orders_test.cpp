// The algorithms of memory_orders.hpp: with their usual orders they pass, and each that has a weaker one
// fails within the bound that is known for it, and not before.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include <hocket/gtest.hpp>

#include "memory_orders.hpp"

namespace samples::memory_orders {

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

namespace {

hocket::Report search(const Variant& variant, unsigned bound) {
  return hocket::explore(std::string(variant.name), variant.body,
      {.max_preemptions = bound,
          .memory_model = hocket::MemoryModel::c11,
          .try_saved = false,
          .save_schedules = false});
}

class MemoryOrders : public testing::TestWithParam<Variant> {};

TEST_P(MemoryOrders, AreStrongEnoughOrFoundToBeTooWeak) {
  const Variant& variant = GetParam();
  const hocket::Report report = search(variant, 3);
  if (variant.found_within == kNever) {
    EXPECT_TRUE(report.verdict == hocket::Verdict::passed_within_bound ||
                report.verdict == hocket::Verdict::passed_exhaustively)
        << report;
  } else {
    ASSERT_EQ(report.failures.size(), 1U) << report;
    EXPECT_EQ(static_cast<int>(report.failures[0].found_bound), variant.found_within) << report;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, MemoryOrders, testing::ValuesIn(variants()),
    [](const testing::TestParamInfo<Variant>& row) { return std::string(row.param.name); });

}  // namespace

}  // namespace samples::memory_orders
