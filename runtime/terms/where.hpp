// A place in source code. std::source_location, but for compilers that do not have it yet (Clang 14). Two
// words, passed by value: on the hot path it stays in registers.
#pragma once

#include <cstdint>

namespace hocket::runtime {

class Where {
 public:
  /// No place.
  constexpr Where() = default;

  /// As a default argument: the place of the call.
  static constexpr Where current(
      const char* file = __builtin_FILE(), std::uint_least32_t line = __builtin_LINE()) noexcept {
    Where where;
    where.file_ = file;
    where.line_ = line;
    return where;
  }

  [[nodiscard]] constexpr const char* file_name() const noexcept { return file_; }
  /// From 1; 0: no line is known.
  [[nodiscard]] constexpr std::uint_least32_t line() const noexcept { return line_; }

 private:
  const char* file_ = "";
  std::uint_least32_t line_ = 0;
};

}  // namespace hocket::runtime
