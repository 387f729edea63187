// Text that comes from names, messages and files, made fit to print: valid UTF-8, no control characters, so
// many columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hocket::utf8 {

struct CodePoint {
  char32_t value;      ///< the byte itself where `is_valid` is false
  std::size_t length;  ///< bytes; 1 where `is_valid` is false
  bool is_valid;
};

/// The first code point of `text`, which must not be empty.
CodePoint first(std::string_view text);

/// Whether the character is no text but, to a terminal, a command.
constexpr bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// The place of the first byte that is not UTF-8, or std::string_view::npos.
std::size_t first_invalid(std::string_view text);

/// `text` with each byte that is not UTF-8 written as "\x9f".
std::string valid(std::string_view text);

/// `text` in valid UTF-8 on one line: control characters, which could command a terminal, as "\n" or "\x1b".
std::string printable(std::string_view text);

/// How many columns of a terminal printable text takes.
std::size_t columns(std::string_view text);

/// `text`, or as much of its beginning as fits into `most` columns with an "…" behind it.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace hocket::utf8
