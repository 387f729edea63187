#include "status_line.hpp"

#include <string>

#include <unistd.h>

#include "output_gate.hpp"

namespace hocket {

namespace {

constexpr std::string_view kClear = "\r\x1b[K";

void put(const std::string& text) {
  static_cast<void>(!write(OutputGate::real_stderr(), text.data(), text.size()));
}

}  // namespace

StatusLine::StatusLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(std::string_view text, Time now) {
  if (!is_terminal_) return;
  last_ = now;
  is_drawn_ = true;
  put(std::string(kClear).append(text));
}

void StatusLine::leave(std::string_view text) {
  if (!is_terminal_) return;
  is_drawn_ = false;
  put(std::string(kClear).append(text) + '\n');
}

void StatusLine::clear() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  put(std::string(kClear));
}

}  // namespace hocket
