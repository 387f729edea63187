#include "terminal.hpp"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace hocket::tool {

bool wants_color(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* off = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_plain = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDOUT_FILENO) != 0 && (off == nullptr || *off == '\0') && !is_plain;
}

}  // namespace hocket::tool
