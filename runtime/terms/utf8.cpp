#include "utf8.hpp"

#include <algorithm>
#include <array>

namespace hocket::utf8 {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The parts of Unicode's tables that are likely to occur in names. An error here only misaligns a column.
constexpr std::array<Range, 7> kNoColumn{{{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x1ab0, 0x1aff},
    {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};
constexpr std::array<Range, 9> kTwoColumns{
    {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
        {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}}};

template <std::size_t kSize>
bool contains(const std::array<Range, kSize>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return r.first <= c && c <= r.last; });
}

std::size_t columns_of(char32_t c) {
  if (c < 0x300) return 1;
  if (contains(kNoColumn, c)) return 0;
  return contains(kTwoColumns, c) ? 2 : 1;
}

constexpr std::array<Range, 4> kMisleading{
    {{0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}}};

void append_byte(std::string& text, unsigned byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  text += "\\x";
  text += kDigits[byte >> 4U & 15U];
  text += kDigits[byte & 15U];
}

}  // namespace

CodePoint first(std::string_view text) {
  const auto byte = [text](std::size_t n) -> char32_t { return static_cast<unsigned char>(text[n]); };
  const char32_t lead = byte(0);
  const CodePoint invalid{lead, 1, false};
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return invalid;
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t n = 1; n < length; ++n) {
    if ((byte(n) & 0xc0U) != 0x80) return invalid;
    value = value << 6U | (byte(n) & 0x3fU);
  }
  const bool is_overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  if (is_overlong || is_surrogate || value > 0x10ffff) return invalid;
  return {value, length, true};
}

bool is_misleading(char32_t c) {
  return contains(kMisleading, c);
}

std::size_t first_invalid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = first(text.substr(at));
    if (!c.is_valid) return at;
    at += c.length;
  }
  return std::string_view::npos;
}

std::string valid(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint c = first(text);
    if (c.is_valid) {
      result += text.substr(0, c.length);
    } else {
      append_byte(result, c.value);
    }
    text.remove_prefix(c.length);
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint c = first(text);
    if (c.value == '\n') {
      result += "\\n";
    } else if (c.value == '\t') {
      result += ' ';
    } else if (!c.is_valid || is_control(c.value)) {
      append_byte(result, c.value);
    } else if (is_misleading(c.value)) {
      result += "\uFFFD";
    } else {
      result += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return result;
}

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  while (!text.empty()) {
    const CodePoint c = first(text);
    sum += columns_of(c.value);
    text.remove_prefix(c.length);
  }
  return sum;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  if (most == 0) return {};
  std::size_t end = 0;
  for (std::size_t sum = 1; end < text.size();) {  // 1: the "…"
    const CodePoint c = first(text.substr(end));
    sum += columns_of(c.value);
    if (sum > most) break;
    end += c.length;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace hocket::utf8
