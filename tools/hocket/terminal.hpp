// What standard output is connected to.
#pragma once

#include <cstddef>
#include <string>

namespace hocket::tool {

/// The number of columns of the terminal on standard output, or else $COLUMNS, or else 110.
std::size_t terminal_width();

/// Whether to print colours: `when` is "always", "never" or "auto", that is on a terminal unless $NO_COLOR is
/// set.
bool wants_color(const std::string& when);

}  // namespace hocket::tool
