// A table in Markdown that can be read as it is, in a terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace measure {

class MarkdownTable {
 public:
  /// The first `words` columns are aligned to the left, those with numbers to the right.
  explicit MarkdownTable(std::vector<std::string> header, std::size_t words = 1);

  /// A row that is too short ends with empty cells.
  void add(std::vector<std::string> row);

  friend std::ostream& operator<<(std::ostream& out, const MarkdownTable& table);

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the header first
  std::size_t words_;
};

}  // namespace measure
