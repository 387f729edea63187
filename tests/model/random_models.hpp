// Properties of random models.
#pragma once

#include <cstdint>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "tests/support/effort.hpp"

namespace hocket::model::test {

/// Runs `property` on random models, of which `all` are tried in a full run of the tests.
template <typename Property>
void on_random_models(std::uint64_t all, Property property) {
  rc::detail::TestParams params;
  params.seed = 20261123;
  const bool is_short = hocket::test::kIsSlow && !hocket::test::kRunsAllTests;
  params.maxSuccess = static_cast<int>(hocket::test::part_of(all) / (is_short ? 2 : 1));
  rc::detail::TestListenerAdapter listener;
  const rc::detail::TestResult result = rc::detail::checkProperty(
      rc::detail::toProperty(std::move(property)), rc::detail::TestMetadata{}, params, listener);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << text.str();
}

}  // namespace hocket::model::test
