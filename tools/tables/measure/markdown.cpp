#include "tools/tables/measure/markdown.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "runtime/terms/utf8.hpp"

namespace measure {

MarkdownTable::MarkdownTable(std::vector<std::string> header, std::size_t words) : words_(words) {
  rows_.push_back(std::move(header));
}

void MarkdownTable::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::ostream& operator<<(std::ostream& out, const MarkdownTable& table) {
  constexpr std::size_t kLeast = 3;  // Markdown wants three dashes under a heading
  std::vector<std::size_t> widths(table.rows_.front().size(), kLeast);
  for (const auto& row : table.rows_) {
    for (std::size_t n = 0; n < row.size(); ++n) {
      widths[n] = std::max(widths[n], hocket::utf8::columns(row[n]));
    }
  }
  bool is_header = true;
  for (const auto& row : table.rows_) {
    for (std::size_t n = 0; n < row.size(); ++n) {
      const std::string space(widths[n] - hocket::utf8::columns(row[n]), ' ');
      out << "| " << (n < table.words_ ? row[n] + space : space + row[n]) << ' ';
    }
    out << "|\n";
    for (std::size_t n = 0; is_header && n < row.size(); ++n) {
      out << (n < table.words_ ? "|:" + std::string(widths[n] + 1, '-')
                               : "|" + std::string(widths[n] + 1, '-') + ":");
    }
    if (is_header) out << "|\n";
    is_header = false;
  }
  return out;
}

}  // namespace measure
