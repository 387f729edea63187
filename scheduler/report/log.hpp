// The log that --hocket_log asks for: what a search decides, step by step.
#pragma once

#include <string_view>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "../options/settings.hpp"

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

}  // namespace hocket
