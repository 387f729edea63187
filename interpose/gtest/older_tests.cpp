// HOCKET_TEST in C++14 and C++17.
#include "../older/gtest.hpp"

#include <exception>
#include <optional>
#include <stdexcept>

#include "../../runtime/terms/where.hpp"
#include "../include/hocket/gtest.hpp"
#include "../older/named_options.hpp"
#include "failed_test.hpp"

namespace hocket::testing::older {

namespace {

/// The options, or nothing if they make no sense, of which the test then fails.
std::optional<hocket::Options> options_or_failure(
    const hocket::older::Options& options, const char* file, unsigned line) {
  try {
    return hocket::older::named_options(options);
  } catch (const std::exception& error) {
    fail_test(error.what(), file, static_cast<int>(line));
    return std::nullopt;
  }
}

}  // namespace

void run_test(const char* suite, const char* name, const std::function<void()>& body,
    const hocket::older::Options& options, const char* file, unsigned line) {
  if (const auto given = options_or_failure(options, file, line))
    hocket::testing::run_test(suite, name, body, *given, runtime::Where::current(file, line));
}

void explore(const std::function<void()>& body, const hocket::older::Options& options, const char* file,
    unsigned line) {
  if (const auto given = options_or_failure(options, file, line))
    hocket::testing::explore(body, *given, runtime::Where::current(file, line));
}

}  // namespace hocket::testing::older
