// Tests that are not run because a signal has ended a search.
#pragma once

#include <string>

namespace hocket::testing {

/// Has GoogleTest skip each test that begins after a signal has ended a search, also one that searches
/// nothing.
void skip_tests_after_interruption();

/// What such a test says.
std::string why_not_run();

}  // namespace hocket::testing
