#include "terminal.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace hocket::tool {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  constexpr std::size_t kDefault = 110;
  const char* columns = std::getenv("COLUMNS");
  if (columns == nullptr) return kDefault;
  const std::string_view text(columns);
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc{} && end == text.data() + text.size() && width != 0 ? width : kDefault;
}

bool wants_color(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* off = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_plain = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDOUT_FILENO) != 0 && (off == nullptr || *off == '\0') && !is_plain;
}

}  // namespace hocket::tool
