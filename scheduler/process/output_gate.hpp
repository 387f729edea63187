// Suppresses what the body prints, except in the execution that failed.
#pragma once

#include <string>

namespace hocket {

void flush_standard_streams();

/// While an object of this class exists, standard output and standard error of this process are discarded,
/// except between begin_capture and end_capture. There is none if all output is to be shown.
class OutputGate {
 public:
  OutputGate();
  ~OutputGate();
  OutputGate(const OutputGate&) = delete;
  OutputGate& operator=(const OutputGate&) = delete;

  void begin_capture();
  [[nodiscard]] bool is_capturing() const { return capture_ >= 0; }
  /// Returns what was printed since begin_capture, at most one mebibyte.
  std::string end_capture();

  /// The real standard error, even while a gate exists. Safe in signal handlers.
  static int real_stderr();

 private:
  void redirect(int to) const;
  void give_back() const;
  int saved_out_;
  int saved_err_;
  int nowhere_;
  int capture_ = -1;
};

}  // namespace hocket
