// Properties of random models.
#pragma once

#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "tests/support/random_tries.hpp"

namespace hocket::model::test {

/// Runs `property` on random models of all sizes. Returns whether they were so many that rare ones are among
/// them, as they are not in builds that are slow.
template <typename Property>
bool on_random_models(Property property) {
  constexpr unsigned kMany = 1'000;
  hocket::test::RandomTries tries(20261123, 0.8);
  const auto checked = rc::detail::toProperty(std::move(property));
  rc::detail::TestParams params;
  params.maxSuccess = 25;  // of every fourth size
  for (params.seed = tries.seed(); tries.goes_on(); ++params.seed) {
    rc::detail::TestListenerAdapter listener;
    const rc::detail::TestResult result =
        rc::detail::checkProperty(checked, rc::detail::TestMetadata{}, params, listener);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    const bool passes = result.is<rc::detail::SuccessResult>();
    EXPECT_TRUE(passes) << "seed " << params.seed << "\n" << text.str();
    if (!passes) return false;
  }
  return tries.tried() * static_cast<unsigned>(params.maxSuccess) >= kMany;
}

}  // namespace hocket::model::test
