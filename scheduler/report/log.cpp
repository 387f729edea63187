#include "log.hpp"

#include <string>

#include <unistd.h>

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>

#include "../../runtime/terms/utf8.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

bool logs(LogLevel level) {
  return level <= settings().log;
}

// No logger is kept: a search of instrumented code restores memory of libraries between two lines.
void write_log(LogLevel level, std::string_view text) {
  const std::string printable = utf8::printable(text);
  const spdlog::details::log_msg message(
      "hocket", level == LogLevel::debug ? spdlog::level::debug : spdlog::level::info, printable);
  spdlog::memory_buf_t line;
  spdlog::pattern_formatter().format(message, line);
  static_cast<void>(!write(OutputGate::real_stderr(), line.data(), line.size()));
}

}  // namespace hocket
