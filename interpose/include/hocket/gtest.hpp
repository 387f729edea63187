// Hocket in GoogleTest: HOCKET_TEST is a TEST whose body is explored.
#pragma once

#if __cplusplus < 202002L
#include "../../older/gtest.hpp"  // IWYU pragma: export
#else

#include <functional>

#include <gtest/gtest.h>

#include "hocket.hpp"

namespace hocket::testing {

/// Explores `body`, in which EXPECT_ and ASSERT_ work in every thread, and turns the report into a GoogleTest
/// result. If one of the limits in `options` stops the search, the test passes and prints what was covered,
/// unless require_bound is set or no execution was run. A failure is reported at `where`, the place of the
/// test.
void run_test(const char* suite, const char* name, const std::function<void()>& body, const Options& options,
    runtime::Where where = runtime::Where::current());

/// Does the same for the current test: use it in a TEST_F or a TEST_P, whose members `body` may use. Run only
/// one search in each test, because a replay finds the search by the names of the suite and the test. Throws
/// std::logic_error outside of tests.
void explore(const std::function<void()>& body, const Options& options = {},
    runtime::Where where = runtime::Where::current());

/// Names a test that searches to `hocket list`, before main(). Returns true.
bool name_search(const char* suite, const char* name);

/// Whether Ctrl-C, SIGTERM or SIGHUP has ended a search. The test of that search and all later tests then
/// count as skipped, and a main function of your own should not return 0.
bool was_interrupted();

}  // namespace hocket::testing

#endif

/// HOCKET_TEST(Suite, Name) { body }
#define HOCKET_TEST(suite, name) HOCKET_TEST_WITH(suite, name, {})

/// HOCKET_TEST_WITH(Suite, Name, {.max_preemptions = 3}) { body }; the braces initialise a hocket::Options,
/// which in C++14 and C++17 has names and values: {{"preemptions", "3"}}.
#define HOCKET_TEST_WITH(suite, name, ...)                                               \
  static void hocket_body_of_##suite##_##name();                                         \
  __attribute__((unused)) static const bool hocket_names_##suite##_##name =              \
      ::hocket::testing::name_search(#suite, #name);                                     \
  TEST(suite, name) {                                                                    \
    ::hocket::testing::run_test(                                                         \
        #suite, #name, &hocket_body_of_##suite##_##name, ::hocket::Options __VA_ARGS__); \
  }                                                                                      \
  static void hocket_body_of_##suite##_##name()
