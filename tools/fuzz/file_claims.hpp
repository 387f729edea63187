// What Hocket claims of text that it is given by others: schedule files, values of options, names of options
// and files of suppressions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace hocket::tools {

/// A claim does not hold. what() says which.
class Contradiction : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How often an input was read to its end, and not refused.
struct Accepted {
  std::uint64_t schedules = 0;
  std::uint64_t values = 0;
};

/// Reads the input, in one of these ways, and does with it all that Hocket does without running a test.
/// Throws Contradiction.
///  - "o NAME TEXT": the option NAME is set to TEXT; and NAME is looked up as if mistyped
///  - "s LINES": a file of suppressions
///  - anything else: a schedule file
void check_input(std::string_view input, Accepted& accepted);

}  // namespace hocket::tools
