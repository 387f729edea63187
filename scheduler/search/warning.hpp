// Warnings of a search, for the person at the terminal.
#pragma once

#include <string>
#include <utility>

#include <unistd.h>

#include <spdlog/fmt/fmt.h>

#include "../process/output_gate.hpp"

namespace hocket {

/// One line to the person at the terminal, who sees nothing of what is printed while the body's output is put
/// aside.
template <class... Arguments>
void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  const std::string line =
      "hocket: warning: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
  static_cast<void>(!write(OutputGate::real_stderr(), line.data(), line.size()));
}

}  // namespace hocket
