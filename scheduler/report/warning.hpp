// Warnings of a search, printed to the terminal.
#pragma once

#include <string>
#include <utility>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/utf8.hpp"
#include "../api/text_width.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

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
