// Whose code a source file holds: the user's, or the standard library's and Hocket's own.
#pragma once

#include <string_view>

namespace hocket::runtime::platform {

/// Whether a person who tests with Hocket may have written `file`, a path as debug information has it.
/// Allocates nothing, so that signal handlers may ask.
bool holds_user_code(std::string_view file);

}  // namespace hocket::runtime::platform
