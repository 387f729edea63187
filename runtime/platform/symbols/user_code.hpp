// Whether a source file holds the user's code, or that of the standard library or Hocket itself.
#pragma once

#include <string_view>

namespace hocket::runtime::platform {

/// Whether a user of Hocket may have written `file`, a path as debug information has it. Allocates nothing,
/// so that signal handlers may call it.
bool holds_user_code(std::string_view file);

}  // namespace hocket::runtime::platform
