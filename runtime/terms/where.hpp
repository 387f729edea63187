// A place in source code. It replaces std::source_location, which some compilers do not have yet (Clang 14).
// It is two words passed by value, so it stays in registers on the hot path: the line fills its word, as GCC
// 12 copies a value with padding in it through the stack.
#pragma once

#include <cstdint>

namespace hocket::runtime {

class Where {
 public:
  /// No place.
  constexpr Where() = default;

  /// For use as a default argument: the place of the call.
  static constexpr Where current(
      const char* file = __builtin_FILE(), std::uint_least32_t line = __builtin_LINE()) noexcept {
    Where where;
    where.file_ = file;
    where.line_ = line;
    return where;
  }

  [[nodiscard]] constexpr const char* file_name() const noexcept { return file_; }
  /// Starts at 1; 0 means that no line is known.
  [[nodiscard]] constexpr std::uint_least32_t line() const noexcept {
    return static_cast<std::uint_least32_t>(line_);
  }

 private:
  const char* file_ = "";
  std::uint_least64_t line_ = 0;
};

}  // namespace hocket::runtime
