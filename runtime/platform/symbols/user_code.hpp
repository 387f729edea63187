// Whether a source file holds the user's code, or that of the standard library, the C library, a test
// framework or Hocket itself. Other libraries that consist of headers count as the user's code, whatever
// folder they are in.
#pragma once

#include <string_view>

namespace hocket::runtime::platform {

/// Whether `file` holds what a user of Hocket has written or uses, a path as debug information has it.
/// Allocates nothing, so that signal handlers may call it.
bool holds_user_code(std::string_view file);

/// Whether it is a file of Hocket itself, which has debug information where a program was built together with
/// it.
bool is_of_hocket(std::string_view file);

}  // namespace hocket::runtime::platform
