// Hocket in GoogleTest for code in C++14 or C++17: HOCKET_TEST is a TEST whose body is explored.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "body.hpp"
#include "explore.hpp"
#include "namespace.hpp"

namespace hocket {

namespace testing {

HOCKET_OLDER namespace older {
  /// Explores `body`, in which EXPECT_ and ASSERT_ work in every thread, and turns the report into a
  /// GoogleTest result.
  void run_test(const char* suite, const char* name, const std::function<void()>& body,
      const hocket::older::Options& options, const char* file = __builtin_FILE(),
      unsigned line = __builtin_LINE());

  /// Does the same for the current test: use it in a TEST_F or a TEST_P, whose members `body` may use.
  void explore(const std::function<void()>& body,
      const hocket::older::Options& options = hocket::older::Options(), const char* file = __builtin_FILE(),
      unsigned line = __builtin_LINE());

}  // namespace older

#if __cplusplus < 202002L  // in the library <hocket/gtest.hpp> has them
/// Names a test that searches to `hocket list`, before main(). Returns true.
bool name_search(const char* suite, const char* name);

/// Whether Ctrl-C, SIGTERM or SIGHUP has ended a search.
bool was_interrupted();
#endif

}  // namespace testing

}  // namespace hocket
