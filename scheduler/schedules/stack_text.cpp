#include "stack_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/terms/utf8.hpp"

namespace hocket {

namespace {

/// Splits "Cache::get  cache.cpp:23" before the place.
std::pair<std::string, std::string> split(std::string_view frame) {
  const std::size_t gap = frame.rfind("  ");
  if (gap == std::string_view::npos) return {utf8::printable(frame), {}};
  return {utf8::printable(frame.substr(0, gap)), utf8::printable(frame.substr(gap + 2))};
}

/// How many calls at the outer end the stacks have in common.
std::size_t common_calls(const ShownStack& one, const ShownStack& other) {
  std::size_t count = 0;
  const std::size_t most = std::min(one.frames.size(), other.frames.size());
  while (count < most && one.frames.rbegin()[static_cast<std::ptrdiff_t>(count)] ==
                             other.frames.rbegin()[static_cast<std::ptrdiff_t>(count)])
    ++count;
  return count;
}

}  // namespace

std::string stacks_text(const Schedule& schedule, std::size_t width) {
  constexpr std::size_t kLeastWidth = 40;
  constexpr std::size_t kWidestName = 60;
  constexpr std::string_view kIndent = "    ";
  width = std::max(width, kLeastWidth);
  std::size_t names = 0;
  for (const ShownStack& stack : schedule.stacks) {
    for (const std::string& frame : stack.frames) names = std::max(names, utf8::columns(split(frame).first));
  }
  names = std::min({names, kWidestName, width / 2});
  std::string text;
  const ShownStack* before = nullptr;
  for (const ShownStack& stack : schedule.stacks) {
    text += "\n" + utf8::printable(stack.title) + ":\n";
    std::size_t shown = stack.frames.size();
    // A single common call is told again: the sentence would be as long.
    if (before != nullptr) {
      if (const std::size_t common = common_calls(*before, stack); common > 1) shown -= common;
    }
    bool is_source_told = stack.source.empty();
    for (std::size_t n = 0; n < shown; ++n) {
      const auto [name, place] = split(stack.frames[n]);
      std::string line = std::string(kIndent) + utf8::shortened(name, std::max(names, width / 2));
      const std::size_t columns = utf8::columns(line);
      const std::size_t place_at = kIndent.size() + names + 2;
      if (!place.empty()) line += std::string(columns < place_at ? place_at - columns : 2, ' ') + place;
      text += utf8::shortened(line, width) + "\n";
      if (!place.empty() && !std::exchange(is_source_told, true))
        text += utf8::shortened("      " + utf8::printable(stack.source), width) + "\n";
    }
    if (shown != stack.frames.size()) {
      const std::string from = split(stack.frames[shown]).first;
      text += utf8::shortened(std::string(kIndent) +
                                  (shown == 0 ? "the same calls as above" : "called as above, from " + from),
                  width) +
              "\n";
    }
    before = &stack;
  }
  return text;
}

}  // namespace hocket
