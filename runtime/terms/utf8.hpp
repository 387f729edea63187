// Makes text from names, messages and files printable: valid UTF-8, no control characters, and a limited
// number of columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hocket::utf8 {

struct CodePoint {
  char32_t value;      ///< the byte itself if `is_valid` is false
  std::size_t length;  ///< in bytes; 1 if `is_valid` is false
  bool is_valid;
};

/// The first code point of `text`, which must not be empty.
CodePoint first(std::string_view text);

/// Whether a terminal would interpret the character as a command instead of printing it.
constexpr bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// Whether the character changes the direction of the text around it, which could make one name look like
/// another, or separates lines or paragraphs, at which some programs begin a new line.
bool is_misleading(char32_t c);

/// The position of the first byte that is not UTF-8, or std::string_view::npos.
std::size_t first_invalid(std::string_view text);

/// `text` with each byte that is not UTF-8 written as "\x9f".
std::string valid(std::string_view text);

/// `text` in valid UTF-8 on one line. Control characters, which could command a terminal, are written as "\n"
/// or "\x1b", and marks that turn the direction of text or separate lines as U+FFFD.
std::string printable(std::string_view text);

/// The number of terminal columns that printable text takes.
std::size_t columns(std::string_view text);

/// `text`, or as much of its beginning as fits into `most` columns together with a final "…".
std::string shortened(std::string_view text, std::size_t most);

}  // namespace hocket::utf8
