// A line about the progress of a search: on a terminal only, rewritten in place.
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

  /// Whether standard error is a terminal. If it is not, nothing is written.
  [[nodiscard]] bool is_shown() const { return is_terminal_; }
  /// Whether the line was shown so long ago that it is worth another one.
  [[nodiscard]] bool is_due(Time now) const {
    return is_terminal_ && now - last_ >= std::chrono::milliseconds(200);
  }
  /// Shows `text` in place of what was shown before.
  void show(std::string_view text, Time now);
  /// Shows `text` in place of the line, and leaves it there.
  void leave(std::string_view text);
  /// Removes the line.
  void clear();

 private:
  bool is_terminal_;
  bool is_drawn_ = false;
  Time last_{};
};

}  // namespace hocket
