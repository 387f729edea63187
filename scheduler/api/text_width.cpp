#include "text_width.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include <sys/ioctl.h>
#include <unistd.h>

#include "../../runtime/terms/utf8.hpp"

namespace hocket {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 4> kUnits{"ms", "s", "min", "h"};
  const std::string_view letters = word.substr(0, word.find_first_of(" .,:;)"));
  return std::find(kUnits.begin(), kUnits.end(), letters) != kUnits.end();
}

/// Where the first word of `text` ends. The spaces in 20 000 and 12 ms are no ends.
std::size_t end_of_word(std::string_view text) {
  std::size_t end = std::min(text.find(' '), text.size());
  while (end != 0 && end + 1 < text.size() && is_digit(text[end - 1]) &&
         (is_digit(text[end + 1]) || is_unit(text.substr(end + 1))))
    end = std::min(text.find(' ', end + 1), text.size());
  return end;
}

/// Without the commands that colour it.
std::size_t visible_columns(std::string_view word) {
  std::size_t columns = 0;
  while (!word.empty()) {
    const std::size_t command = std::min(word.find('\x1b'), word.size());
    columns += utf8::columns(word.substr(0, command));
    word.remove_prefix(command);
    const std::size_t end = std::min(word.find('m'), word.size());
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return columns;
}

std::string wrapped_line(std::string_view line, unsigned width, std::size_t least_indent) {
  constexpr std::size_t kListItem = 4;
  constexpr std::size_t kQuotation = 6;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent >= kQuotation || visible_columns(line) <= width) return std::string(line);
  std::string text(line.substr(0, indent));
  std::size_t column = indent;
  bool is_at_begin = true;
  for (line.remove_prefix(indent); !line.empty();) {
    const std::size_t end = end_of_word(line);
    const std::string_view word = line.substr(0, end);
    const std::size_t columns = visible_columns(word);
    if (!is_at_begin && column + 1 + columns > width) {
      column = indent >= kListItem ? indent + 2 : std::max(indent, least_indent);
      text.append("\n").append(column, ' ');
    } else if (!is_at_begin) {
      text += ' ';
      ++column;
    }
    text += word;
    column += columns;
    is_at_begin = false;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return text;
}

}  // namespace

unsigned columns_of_output() {
  constexpr unsigned kUsual = 80;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const std::string_view text = columns != nullptr ? columns : "";
  unsigned width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc{} && end == text.data() + text.size() && width != 0 ? width : kUsual;
}

std::string wrapped(std::string_view text, unsigned width, std::size_t least_indent) {
  if (width == 0) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += wrapped_line(text.substr(0, end), width, least_indent);
    if (end != text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace hocket
