#include "mutation.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace hocket::tools {

namespace {

/// Values and pieces of the formats, and what readers like to get wrong.
constexpr std::array kPieces{"\"\\u001b[2J\"", "\"\\u0000\"", "\"\\u009b31m\"", "\"\\u2028\"", "\"\\u202e\"",
    "\"\\u200e\"", "\"\\ud800\"", "\"\\ud83d\\ude00\"", "\x1b[31m", "\xc2\x9b", "\xe2\x80\xae", "\xff",
    "1e400", "-1", "0", "1", "18446744073709551615", "18446744073709551616", "0.5", "null", "true", "false",
    "[]", "{}", "[[[[[[", "\"\"", "255", "256", "65535", "65536", "1048576", "4294967296", "\"main\"",
    "\"thread 1\"", "\"spuriously\"", "\"expired\"", R"("notes": ["FAILS: x"])",
    R"("notes": ["", "", "reads a  b:1"])", R"("complete": false)", R"("choices": [1,2,3])",
    R"("choices": [])", R"("preempts": 65535)", R"("stack_size": 16384)", R"("signal": 64)",
    R"("failure": "stuck")", R"("failure": "deadlock")", R"("chooses": 1, "of": 2, "for": "choose")",
    R"("hocket_schedule": 3)", R"("reads": "1", "of step": 1, "newest": "2", "newest step": 2)",
    R"("found_choices": [0, 1])", R"({"step": 1, "choices": [4, 8, 8193]},)", R"("choices": [0,4,4096,8192])",
    R"("stacks": [{"stack": "a", "frames": ["f  a.cpp:1"]}])", R"("waits for": "x", "waits on": ["main"])",
    ",", ":", "\n", "{", "}", "[", "]", "//", "9s", "1h", "10m", "512M", "inf", "-races", "all", "race:*",
    "*", "deadlock:", "1e9s", "9999999999h"};

}  // namespace

std::string Mutation::changed(std::string text, const std::string& other) {
  if (below(2) == 0) {
    replace_value(text);  // of which a reader refuses least
    return text;
  }
  constexpr std::size_t kFew = 3;
  constexpr std::size_t kMany = 20;
  const std::size_t times = 1 + below(below(4) == 0 ? kMany : kFew);
  for (std::size_t n = 0; n < times; ++n) change(text, other);
  return text;
}

void Mutation::change(std::string& text, const std::string& other) {
  constexpr std::size_t kPart = 300;
  const std::size_t at = below(text.size() + 1);
  const std::size_t size = std::min(below(kPart), text.size() - at);
  switch (below(10)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(random_());
      break;
    case 2:
      if (below(4) == 0) text.resize(at);
      break;
    case 3:
      text.erase(at, size);
      break;
    case 4:
      text.insert(below(text.size() + 1), text.substr(at, size));
      break;
    case 5:
      text.insert(at, kPieces[below(kPieces.size())]);
      break;
    case 6:
      text.insert(at, other.substr(below(other.size() + 1), below(kPart)));
      break;
    case 7:
      swap_lines(text);
      break;
    default:
      replace_value(text);
  }
}

void Mutation::replace_value(std::string& text) {
  const std::size_t colon = text.find(": ", below(text.size() + 1));
  if (colon == std::string::npos) return;
  const std::size_t end = text.find_first_of(",}\n", colon);
  if (end == std::string::npos) return;
  text.replace(colon + 2, end - colon - 2, kPieces[below(kPieces.size())]);
}

void Mutation::swap_lines(std::string& text) {
  const std::size_t first = text.find('\n', below(text.size() + 1));
  if (first == std::string::npos) return;
  const std::size_t second = text.find('\n', first + 1);
  const std::size_t third = second == std::string::npos ? second : text.find('\n', second + 1);
  if (third == std::string::npos) return;
  std::rotate(text.begin() + static_cast<std::ptrdiff_t>(first),
      text.begin() + static_cast<std::ptrdiff_t>(second), text.begin() + static_cast<std::ptrdiff_t>(third));
}

}  // namespace hocket::tools
