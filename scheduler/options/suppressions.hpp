// Failures that are known and not to be reported: a file of patterns, as ThreadSanitizer reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/terms/failure.hpp"

namespace hocket {

/// The patterns of a file. Each line has a kind and a pattern: "race:Cache::get", "deadlock:bank.cpp",
/// "mutex:^main$", "called_from_lib:libfoo.so". A pattern matches a text that contains it; '*' stands for any
/// characters, '^' at its beginning and '$' at its end for the ends of the text. Empty lines and those that
/// begin with '#' mean nothing.
class Suppressions {
 public:
  /// Reads the patterns of the file. Throws std::invalid_argument, with one sentence that names the line, if
  /// it cannot be read or has other content. No file if `name` is empty.
  explicit Suppressions(const std::string& name);

  /// The line that suppresses the failure, as in "race:Cache::get"; empty if none does. The functions, files
  /// and libraries on all call stacks of the failure are compared. Slow. Only for the OS thread of the
  /// search, before the next execution begins.
  [[nodiscard]] std::string matching(const runtime::Failure& failure) const;

  [[nodiscard]] bool empty() const { return lines_.empty(); }

 private:
  enum class Kind : std::uint8_t { race, race_top, deadlock, mutex, thread, called_from_lib, signal };
  struct Line {
    Kind kind;
    std::string pattern;
    std::string text;  ///< as it stands in the file
  };

  static bool concerns(Kind kind, runtime::FailureKind failure);

  std::vector<Line> lines_;
};

/// The most asterisks of a pattern, because each may look through the whole text.
inline constexpr std::size_t kMostStars = 8;

/// Whether `text` matches a pattern of a suppression.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace hocket
