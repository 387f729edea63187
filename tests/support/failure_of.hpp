// Common parts of the tests of failures: the first failure of a body and the places in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/diagnosis/source_text.hpp"

#include "tests/support/bodies.hpp"

namespace hocket::test {

/// Returns the first failure of `body`, which must fail.
inline FoundFailure failure_of(const std::function<void()>& body, const Options& options = exhaustively()) {
  const Report report = report_of(options, body);
  EXPECT_EQ(report.verdict, Verdict::failed) << report;
  return report.failures.empty() ? FoundFailure{} : report.failures[0];
}

/// The same with the options first, before a body that is written in the call.
inline FoundFailure failure_of(const Options& options, const std::function<void()>& body) {
  return failure_of(body, options);
}

/// The message of that failure, which must be of this kind.
inline std::string message_of(
    FailureKind kind, const std::function<void()>& body, const Options& options = exhaustively()) {
  const FoundFailure failure = failure_of(body, options);
  EXPECT_EQ(to_string(failure.kind), to_string(kind)) << failure.message;
  return failure.message;
}

inline std::string message_of(FailureKind kind, const Options& options, const std::function<void()>& body) {
  return message_of(kind, body, options);
}

inline void expect_to_pass(const std::function<void()>& body, const Options& options = exhaustively()) {
  const Report report = report_of(options, body);
  EXPECT_FALSE(report.failed()) << report;
  EXPECT_NE(report.verdict, Verdict::stopped) << report;
}

inline void expect_to_pass(const Options& options, const std::function<void()>& body) {
  expect_to_pass(body, options);
}

/// "file.cpp:12" for a line of the file that calls this function.
inline std::string place(int line, const char* file = __builtin_FILE()) {
  return runtime::place_of(runtime::Where::current(file, static_cast<std::uint_least32_t>(line)));
}

}  // namespace hocket::test
