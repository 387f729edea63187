// The list of what a program would search, which `hocket list` asks for by HOCKET_LIST.
#pragma once

#include <string_view>

namespace hocket {

/// The variable. It names a file, to which a line is added for each test: its kind, a space and its name.
inline constexpr const char* kListVariable = "HOCKET_LIST";

/// Whether names are asked for, and searches must not be made.
bool lists_searches();

// Kinds of tests.
inline constexpr std::string_view kSearch = "search";
inline constexpr std::string_view kPlainTest = "test";  ///< of which it is unknown whether it searches

/// Adds a line to the file, if names are asked for. May be called before main().
void list_test(std::string_view kind, std::string_view name);

}  // namespace hocket
