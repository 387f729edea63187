#include "step_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "../../runtime/terms/utf8.hpp"

namespace hocket {

namespace {

constexpr std::size_t kNumberColumns = 4;  // at least, because the heading is "step"
constexpr std::size_t kGap = 2;
constexpr std::size_t kMostColumns = 6;  // threads side by side
constexpr std::size_t kLeastColumn = 18;
constexpr std::size_t kLeastName = 6;
constexpr std::size_t kLeastWidth = 40;

std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}  // NOLINT(modernize-return-braced-init-list)

/// A terminal line that is filled from left to right.
class Row {
 public:
  explicit Row(bool color) : color_(color) {}

  void put(std::size_t column, const std::string& text, Style style = Style::plain) {
    if (text.empty()) return;
    const std::size_t gap = column > columns_ ? column - columns_ : (columns_ != 0 ? 1 : 0);
    text_ += spaces(gap);
    columns_ += gap + utf8::columns(text);
    text_ += painted(text, style, color_);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool color_;
  std::string text_;
  std::size_t columns_ = 0;
};

/// Gives each column its natural width if that is less than an equal share, and divides the rest among the
/// other columns.
std::vector<std::size_t> share(const std::vector<std::size_t>& natural, std::size_t available) {
  std::vector<std::size_t> by_width(natural.size());
  std::iota(by_width.begin(), by_width.end(), std::size_t{0});
  std::stable_sort(by_width.begin(), by_width.end(),
      [&](std::size_t a, std::size_t b) { return natural[a] < natural[b]; });
  std::vector<std::size_t> widths(natural.size());
  for (std::size_t n = 0; n < by_width.size(); ++n) {
    std::size_t& width = widths[by_width[n]];
    width = std::min(natural[by_width[n]], available / (by_width.size() - n));
    available -= width;
  }
  return widths;
}

/// A table cell of one line, or of two if one would be too long.
struct Cell {
  std::string first;
  std::string second;
};

Cell cell_of(const StepLine& line, std::size_t width) {
  const std::string name = line.name.empty() ? "" : " " + line.name;
  if (line.columns() <= width) return {line.head + name + line.tail, {}};
  if (name.empty()) return {utf8::shortened(line.head + name + line.tail, width), {}};
  // On a line of its own the name has more room. It is shortened before the result is.
  const std::size_t tail = utf8::columns(line.tail);
  const std::size_t room = std::max(width, kGap + tail + kLeastName) - kGap - tail;
  const std::string second = spaces(kGap) + utf8::shortened(line.name, room) + line.tail;
  return {utf8::shortened(line.head, width), utf8::shortened(second, width)};
}

/// Whether a cell of this width shows all of the line.
bool fits(const StepLine& line, std::size_t width) {
  if (line.columns() <= width) return true;
  if (line.name.empty()) return false;
  const std::size_t second = kGap + utf8::columns(line.name) + utf8::columns(line.tail);
  return utf8::columns(line.head) <= width && second <= width;
}

class Table {
 public:
  Table(std::vector<std::string> labels, std::size_t steps, std::vector<StepLine> lines,
      const RenderOptions& options)
      : color_(options.color),
        width_(std::max(options.width, kLeastWidth)),
        lines_(std::move(lines)),
        labels_(std::move(labels)) {
    number_ = std::max(kNumberColumns, std::to_string(steps).size());
    std::size_t place = 0;
    for (const StepLine& line : lines_) place = std::max(place, utf8::columns(line.place));
    const std::size_t beside = number_ + kGap + (place != 0 ? kGap + place : 0);
    room_ = std::max(width_, beside + kLeastColumn) - beside;
  }

  std::string text() {
    if (!lay_out_columns()) lay_out_list();
    place_at_ = begins_.back() + widths_.back() + kGap;
    print_header();
    for (const StepLine& line : lines_) {
      if (line.is_for_all) {
        text_ += utf8::shortened(line.head, width_) + "\n";
      } else {
        line.style == Style::failure ? print_failure(line) : print(line);
      }
    }
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Lays out a column for each thread that has a line. Returns whether they show all of each line.
  bool lay_out_columns() {
    column_of_.assign(labels_.size(), kNone);
    for (const StepLine& line : lines_) {
      if (!line.is_for_all) column_of_[line.thread] = 0;
    }
    std::vector<std::size_t> natural;
    for (std::size_t thread = 0; thread < column_of_.size(); ++thread) {
      if (column_of_[thread] == kNone) continue;
      column_of_[thread] = natural.size();
      natural.push_back(std::min(utf8::columns(labels_[thread]), kLeastColumn));
    }
    if (natural.size() > kMostColumns) return false;
    for (const StepLine& line : lines_) {
      if (line.style == Style::failure || line.is_for_all) continue;  // it may reach beyond its column
      std::size_t& width = natural[column_of_[line.thread]];
      width = std::max(width, line.columns());
    }
    const std::size_t gaps = kGap * (natural.size() - 1);
    widths_ = share(natural, room_ > gaps ? room_ - gaps : 0);
    begins_.clear();
    std::size_t begin = number_ + kGap;
    for (std::size_t n = 0; n < natural.size(); ++n) {
      if (widths_[n] < std::min(natural[n], kLeastColumn)) return false;
      begins_.push_back(begin);
      begin += widths_[n] + kGap;
    }
    return std::all_of(lines_.begin(), lines_.end(), [&](const StepLine& line) {
      const bool is_cell = line.style != Style::failure && !line.is_for_all;
      return !is_cell || fits(line, widths_[column_of_[line.thread]]);
    });
  }

  // Lays out one column for the names of threads, and one for what they do.
  void lay_out_list() {
    is_list_ = true;
    std::size_t names = 0;
    std::size_t natural = 0;
    for (const StepLine& line : lines_) {
      if (!line.is_for_all) names = std::max(names, utf8::columns(labels_[line.thread]));
      if (line.style != Style::failure && !line.is_for_all) natural = std::max(natural, line.columns());
    }
    names = std::min(names, kLeastColumn);
    column_of_.assign(labels_.size(), 0);
    begins_ = {number_ + kGap + names + kGap};
    const std::size_t room = std::max(room_, names + kGap + kLeastColumn) - names - kGap;
    widths_ = {std::min(natural, room)};
  }

  void print_header() {
    Row row(false);
    row.put(number_ - kNumberColumns, "step");
    if (is_list_) {
      row.put(number_ + kGap, "thread");
    } else {
      for (std::size_t thread = 0; thread < labels_.size(); ++thread) {
        const std::size_t column = column_of_[thread];
        if (column != kNone) row.put(begins_[column], utf8::shortened(labels_[thread], widths_[column]));
      }
    }
    text_ += row.text() + "\n";
  }

  void print(const StepLine& line) {
    const std::size_t begin = begins_[column_of_[line.thread]];
    const std::size_t width = widths_[column_of_[line.thread]];
    Row row(color_);
    if (line.step != 0) {
      const std::string number = std::to_string(line.step);
      row.put(number_ - number.size(), number);
    }
    if (is_list_ && (line.step != 0 || line.is_apart))
      row.put(number_ + kGap, utf8::shortened(labels_[line.thread], begin - number_ - kGap - kGap));
    if (is_list_ && line.is_preempted) {
      row.put(number_ + kGap, "— " + utf8::shortened(labels_[line.thread], kLeastColumn) + " is preempted —",
          line.style);
      text_ += row.text() + "\n";
      return;
    }
    const Cell cell = cell_of(line, width);
    row.put(begin, cell.first, line.style);
    row.put(place_at_, line.place);
    text_ += row.text() + "\n";
    if (cell.second.empty()) return;
    Row below(color_);
    below.put(begin, cell.second, line.style);
    text_ += below.text() + "\n";
  }

  // The failure may leave its column: it extends to the right, and also to the left if that is not enough.
  void print_failure(const StepLine& line) {
    const std::size_t least = number_ + kGap;
    const std::size_t length = std::min(utf8::columns(line.head), width_ - least);
    const std::size_t begin = std::min(begins_[column_of_[line.thread]], width_ - length);
    Row row(color_);
    row.put(begin, utf8::shortened(line.head, width_ - begin), line.style);
    text_ += row.text() + "\n";
  }

  bool color_;
  std::size_t width_;
  std::vector<StepLine> lines_;
  std::vector<std::string> labels_;
  std::size_t number_ = 0;    ///< columns of the step numbers
  std::size_t room_ = 0;      ///< columns for all threads together
  std::size_t place_at_ = 0;  ///< where the places begin
  bool is_list_ = false;
  std::vector<std::size_t> column_of_;  ///< indexed by thread
  std::vector<std::size_t> begins_;     ///< by column
  std::vector<std::size_t> widths_;     ///< by column
  std::string text_;
};

}  // namespace

std::string painted(const std::string& text, Style style, bool color) {
  if (!color || style == Style::plain) return text;
  return (style == Style::preemption ? "\x1b[33m" : "\x1b[31m") + text + "\x1b[0m";
}

std::size_t StepLine::columns() const {
  return utf8::columns(head) + (name.empty() ? 0 : 1 + utf8::columns(name)) + utf8::columns(tail);
}

std::string table_of_steps(std::vector<std::string> labels, std::size_t steps, std::vector<StepLine> lines,
    const RenderOptions& options) {
  return Table(std::move(labels), steps, std::move(lines), options).text();
}

}  // namespace hocket
