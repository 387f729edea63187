// Warnings of a search, printed to the terminal.
#pragma once

#include <string>
#include <utility>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "../../runtime/terms/utf8.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

/// Prints one line to the real standard error, because the usual one may be redirected with the body's
/// output.
template <class... Arguments>
void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  // What comes from files and from the environment could command the terminal.
  const std::string line =
      "hocket: warning: " + utf8::printable(fmt::format(text, std::forward<Arguments>(arguments)...)) + "\n";
  static_cast<void>(!write(OutputGate::real_stderr(), line.data(), line.size()));
}

}  // namespace hocket
