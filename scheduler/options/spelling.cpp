#include "spelling.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace hocket {

namespace {

/// A letter as it counts here.
char plain(char c) {
  return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// How many letters must be added, left out, replaced, or exchanged with their neighbours to make one word of
/// the other.
std::size_t differences(std::string_view a, std::string_view b) {
  // Of the first letters of `a`, one more for each row, and of each beginning of `b`.
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::size_t> row{i + 1};
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t least =
          std::min({last[j + 1] + 1, row[j] + 1, last[j] + (plain(a[i]) == plain(b[j]) ? 0 : 1)});
      const bool is_exchanged =
          i > 0 && j > 0 && plain(a[i]) == plain(b[j - 1]) && plain(a[i - 1]) == plain(b[j]);
      if (is_exchanged) least = std::min(least, before[j - 1] + 1);
      row.push_back(least);
    }
    before = std::exchange(last, std::move(row));
  }
  return last.back();
}

}  // namespace

bool is_same_word(std::string_view a, std::string_view b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return plain(x) == plain(y); });
}

std::string likely_spelling(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLettersToAMistake = 3;  // in longer words there may be more mistakes
  std::size_t fewest = std::max(word.size() / kLettersToAMistake, std::size_t{1}) + 1;
  std::string likely;
  for (const std::string& candidate : known) {
    if (const std::size_t count = differences(word, candidate); count < fewest) {
      fewest = count;
      likely = candidate;
    }
  }
  return likely;
}

std::string did_you_mean(const std::string& spelling) {
  return spelling.empty() ? ";" : "; did you mean " + spelling + "?";
}

}  // namespace hocket
