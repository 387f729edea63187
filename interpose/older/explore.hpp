// Searches from code in C++14 or C++17.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "namespace.hpp"

namespace hocket {

HOCKET_OLDER namespace older {
  /// The names and values that the flags of test programs have: {{"preemptions", "3"}, {"keep_going", "1"}}.
  using Options = std::vector<std::pair<std::string, std::string>>;

  /// What a search found. docs/googletest.md describes what the parts mean.
  struct Report {
    bool has_failed = false;
    std::string verdict;  ///< "failed", "passed within the bound", …
    std::uint64_t executions = 0;
    std::uint64_t classes = 0;
    std::uint64_t steps = 0;
    std::vector<std::string> failures;  ///< the message of each
    std::string text;                   ///< all of it as readable text

    bool failed() const { return has_failed; }
  };

  /// Runs `body` under one schedule after another. Flags and the environment override `options`. Throws
  /// std::invalid_argument for an option that there is not, or a value that makes no sense.
  Report explore(
      const std::string& test, const std::function<void()>& body, const Options& options = Options());

  /// The text of the report.
  std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace older

}  // namespace hocket
