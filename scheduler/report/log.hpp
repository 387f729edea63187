// The log that --hocket_log asks for: what a search decides, step by step.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include "../../runtime/terms/utf8.hpp"
#include "../api/text_width.hpp"
#include "../options/settings.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

/// Whether lines of this level are wanted: Settings::log.
bool logs(LogLevel level);

/// Prints one line, in spdlog's format, to the real standard error. Control characters in `text` are escaped,
/// as names in it may come from a program or a file.
void write_log(LogLevel level, std::string_view text);

/// The same for text that is formatted only if it is wanted. Not for what runs in a body.
template <class... Arguments>
void log(LogLevel level, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (logs(level)) write_log(level, fmt::format(text, std::forward<Arguments>(arguments)...));
}

/// Prints a paragraph to the real standard error, because the usual one may be redirected with the body's
/// output.
template <class... Arguments>
void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  // What comes from files and from the environment could command the terminal.
  const std::string what = utf8::printable(fmt::format(text, std::forward<Arguments>(arguments)...));
  const std::string lines = wrapped("hocket: warning: " + what + "\n", columns_of_output());
  static_cast<void>(!write(OutputGate::real_stderr(), lines.data(), lines.size()));
}

}  // namespace hocket
