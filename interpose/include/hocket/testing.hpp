// Hocket in Catch2 and doctest: link hocket::catch2 or hocket::doctest. (For GoogleTest: <hocket/gtest.hpp>.)
#pragma once

#include <functional>

#include "hocket.hpp"

namespace hocket::testing {

/// Explores `body` in the current test case. Its assertions work in every thread, and one that fails makes
/// the execution fail. A failure found fails the test case; else what was covered is printed. Make only one
/// search in each test case, and none in a section that is entered more than once, because a replay finds the
/// search by the name of the test case.
void explore(const std::function<void()>& body, const Options& options = {});

}  // namespace hocket::testing
