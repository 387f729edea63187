#include "seals.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/platform/symbols/call_site.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "suppressions.hpp"

namespace hocket {

Seals::Seals(std::string_view seal, std::string_view open) {
  add(seal, false);
  add(open, true);
}

void Seals::add(std::string_view patterns, bool opens) {
  if (patterns.empty()) return;
  for (std::size_t begin = 0; begin <= patterns.size();) {
    const std::size_t end = std::min(patterns.find(',', begin), patterns.size());
    const std::string_view text = patterns.substr(begin, end - begin);
    if (text.empty() || std::count(text.begin(), text.end(), '*') > std::ptrdiff_t{kMostStars}) {
      throw std::invalid_argument(
          fmt::format("\"{}\" has a pattern that is {}; write parts of names of functions or files, as in "
                      "Cache::get,log.cpp",
              utf8::printable(patterns),
              text.empty() ? "empty" : fmt::format("of more than {} asterisks", kMostStars)));
    }
    patterns_.push_back({std::string(text), opens});
    begin = end + 1;
  }
}

bool Seals::include_next() {
  const runtime::platform::StackFrame* const function = runtime::platform::user_function_on_stack();
  const auto [entry, is_new] = known_.try_emplace(function);
  if (is_new) entry->second = seals(function);
  return entry->second;
}

bool Seals::seals(const runtime::platform::StackFrame* function) {
  bool is_sealed = false;
  bool is_open = true;
  bool is_opened = false;
  for (Pattern& pattern : patterns_) {
    const auto matches = [&](std::string_view name) { return matches_pattern(pattern.text, name); };
    const bool is_match =
        function != nullptr &&
        (matches(function->function) || matches(function->whole_function) || matches(function->file));
    pattern.has_matched |= is_match;
    if (pattern.opens) {
      is_open = false;
      is_opened |= is_match;
    } else {
      is_sealed |= is_match;
    }
  }
  return is_sealed || !(is_open || is_opened);
}

std::string Seals::listed(bool opens) const {
  std::string text;
  for (const Pattern& pattern : patterns_) {
    if (pattern.opens != opens) continue;
    text += (text.empty() ? opens ? "outside " : "in " : " or ") + utf8::printable(pattern.text);
  }
  return text;
}

std::string Seals::in_words() const {
  const std::string sealed = listed(false);
  const std::string opened = listed(true);
  return sealed + (sealed.empty() || opened.empty() ? "" : " and ") + opened;
}

std::vector<std::string> Seals::unmatched() const {
  std::vector<std::string> texts;
  for (const Pattern& pattern : patterns_) {
    if (!pattern.has_matched) texts.push_back(pattern.text);
  }
  return texts;
}

}  // namespace hocket
