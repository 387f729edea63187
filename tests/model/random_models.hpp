// Properties of random models.
#pragma once

#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "tests/support/random_tries.hpp"

namespace hocket::model::test {

/// Runs `property` on random models of all sizes.
template <typename Property>
void on_random_models(Property property) {
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
    ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << "seed " << params.seed << "\n" << text.str();
  }
}

}  // namespace hocket::model::test
