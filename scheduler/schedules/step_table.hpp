// A table for a terminal with a row for each step and a column for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hocket {

struct RenderOptions {
  std::size_t max_rows = 40;  ///< the maximum number of steps to show, up to the failure; 0: all
  std::size_t width = 110;    ///< columns of the terminal
  bool color = false;         ///< ANSI escapes: preemptions yellow, the failure red
};

/// How a line is highlighted.
enum class Style : std::uint8_t { plain, preemption, failure };

/// One line about one thread, in printable text.
struct StepLine {
  std::size_t step = 0;  ///< the step's number if a step begins here; otherwise 0
  unsigned thread = 0;
  std::string head;  ///< "mutex.lock"
  std::string name;  ///< "queue lock"; this part is shortened first
  std::string tail;  ///< " → 3"
  std::string place;
  Style style = Style::plain;
  bool is_preempted = false;  ///< the line only says that the thread is preempted here
  bool is_apart = false;      ///< about no step, but what the thread does beside them
  bool is_for_all = false;    ///< about steps that are not shown, of any threads

  /// The number of columns that head, name and tail take.
  [[nodiscard]] std::size_t columns() const;
};

/// `text` with the ANSI escapes of a style, if `color`.
std::string painted(const std::string& text, Style style, bool color);

/// The table. `labels` are the names of the threads in printable text, and `steps` is the greatest number of
/// a step. If the columns would be too narrow or too many, the result is a list with the thread's name before
/// each step.
std::string table_of_steps(std::vector<std::string> labels, std::size_t steps, std::vector<StepLine> lines,
    const RenderOptions& options);

}  // namespace hocket
