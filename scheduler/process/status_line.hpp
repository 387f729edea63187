// A line about the progress of a search: on a terminal one that is rewritten in place, elsewhere, as in the
// log of a build, a new one every half minute.
#pragma once

#include <chrono>
#include <string_view>

namespace hocket {

class StatusLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether standard error is a terminal.
  [[nodiscard]] bool is_on_terminal() const { return is_terminal_; }
  /// Whether the line was shown so long ago that it is worth another one.
  [[nodiscard]] bool is_due(Time now) const { return now - last_ >= interval_; }
  /// Shows `text`, on a terminal in place of what was shown before.
  void show(std::string_view text, Time now);
  /// Shows `text` for good, if the search takes so long that progress is shown at all.
  void leave(std::string_view text);
  /// Removes the line.
  void clear();

 private:
  bool is_terminal_;
  bool is_drawn_ = false;
  bool was_shown_ = false;
  std::chrono::milliseconds interval_;
  Time last_;
};

}  // namespace hocket
