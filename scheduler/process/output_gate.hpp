// What the body prints: swallowed, but for the execution that failed.
#pragma once

#include <string>

namespace hocket {

void flush_standard_streams();

/// While one lives, standard output and standard error of this process lead nowhere, except between
/// begin_capture and end_capture. Not made at all when everything is to be shown.
class OutputGate {
 public:
  OutputGate();
  ~OutputGate();
  OutputGate(const OutputGate&) = delete;
  OutputGate& operator=(const OutputGate&) = delete;

  void begin_capture();
  [[nodiscard]] bool is_capturing() const { return capture_ >= 0; }
  /// What was printed since begin_capture, at most a mebibyte of it.
  std::string end_capture();

  /// The real standard error, also while a gate lives. Safe in signal handlers.
  static int real_stderr();

 private:
  void redirect(int to) const;
  int saved_out_;
  int saved_err_;
  int nowhere_;
  int capture_ = -1;
};

}  // namespace hocket
