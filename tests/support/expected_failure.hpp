// Tables of wrong bodies, each with the kind and the message of the failure that must be reported.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "tests/support/bodies.hpp"
#include "tests/support/failure_of.hpp"

namespace hocket::test {

struct Wrong {
  const char* name;
  void (*body)();
  FailureKind kind;
  const char* message;  ///< with '@' in place of line numbers and numbers of local variables
};

inline void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

/// Replaces the numbers of lines of `file` and of local variables in the message by '@': the compiler
/// determines which local variables are numbered earlier.
inline std::string without_numbers(const std::string& message, std::string_view file) {
  const std::string before_line = std::string(file) + ":";
  std::string text;
  for (std::size_t n = 0; n < message.size();) {
    text += message[n++];
    if (!text.ends_with(before_line) && !text.ends_with("local variable ")) continue;
    text += '@';
    while (n < message.size() && message[n] >= '0' && message[n] <= '9') ++n;
  }
  return text;
}

/// Expects that `wrong` fails as its row says. Its messages name places in the file that calls this.
inline void expect_to_fail(const Wrong& wrong, std::string_view file = __builtin_FILE()) {
  const FoundFailure failure = failure_of(wrong.body);
  EXPECT_EQ(to_string(failure.kind), to_string(wrong.kind));
  EXPECT_EQ(without_numbers(failure.message, file.substr(file.rfind('/') + 1)), wrong.message);
}

/// A body that is almost wrong but correct.
struct Right {
  const char* name;
  void (*body)();
};

inline void PrintTo(const Right& right, std::ostream* out) {
  *out << right.name;
}

}  // namespace hocket::test
