// What somebody who has misspelt a word may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hocket {

/// Whether two words differ in nothing but dashes and underscores, and capital and small letters.
bool is_same_word(std::string_view a, std::string_view b);

/// The word in `known` that differs from `word` in the fewest letters, if they are few; otherwise empty.
/// Differences that is_same_word() overlooks do not count.
std::string likely_spelling(std::string_view word, std::span<const std::string> known);

/// What comes in a sentence between a misspelt word and where to read more: "; did you mean --time?", or ";"
/// if nothing was likely meant.
std::string did_you_mean(const std::string& spelling);

}  // namespace hocket
