// Lines of the source that the program was built from.
#pragma once

#include <string>
#include <string_view>

namespace hocket {

/// The line of the file without the spaces around it; a sentence in brackets if the file is not the one that
/// the program was built from; empty if it cannot be read or has nothing but brackets.
std::string line_of_source(const std::string& file, unsigned line);

/// The same for a place such as "queue.cpp:12" that runtime::user_place_of() has returned in this process.
std::string line_of_source(std::string_view place);

}  // namespace hocket
