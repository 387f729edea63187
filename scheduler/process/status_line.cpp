#include "status_line.hpp"

#include <string>

#include <unistd.h>

#include "output_gate.hpp"

namespace hocket {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kClear = "\r\x1b[K";

void put(const std::string& text) {
  static_cast<void>(!write(OutputGate::real_stderr(), text.data(), text.size()));
}

}  // namespace

StatusLine::StatusLine()
    : is_terminal_(isatty(STDERR_FILENO) != 0),
      interval_(is_terminal_ ? 200ms : 30s),
      last_(std::chrono::steady_clock::now()) {}

void StatusLine::show(std::string_view text, Time now) {
  last_ = now;
  was_shown_ = true;
  is_drawn_ = is_terminal_;
  put(is_terminal_ ? std::string(kClear).append(text) : std::string(text) + '\n');
}

void StatusLine::leave(std::string_view text) {
  if (!was_shown_) return;
  is_drawn_ = false;
  put((is_terminal_ ? std::string(kClear) : std::string()).append(text) + '\n');
}

void StatusLine::clear() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  put(std::string(kClear));
}

}  // namespace hocket
