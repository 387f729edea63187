// What standard output is connected to.
#pragma once

#include <string>

namespace hocket::tool {

/// Whether to print colours: `when` is "always", "never" or "auto", that is on a terminal unless $NO_COLOR is
/// set.
bool wants_color(const std::string& when);

}  // namespace hocket::tool
