// What the assertions of a body have found so far, in the current execution. GoogleTest itself does not learn
// of them while a search runs, but tests ask: a failure in SetUp(), for example, keeps the test from running.
#pragma once

#include <gtest/gtest.h>

namespace hocket::testing {

/// Notes a result in the current execution. This function and the others may be called only on a fiber.
void note_result(const ::testing::TestPartResult& result);

bool has_fatal_failure();
bool has_nonfatal_failure();
bool is_skipped();

}  // namespace hocket::testing
