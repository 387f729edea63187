// The source files from which a program was compiled.
#pragma once

#include <set>
#include <string>

namespace hocket::debug_info {

/// The paths that the debug information of the program's file names, of the sources and of all that they
/// include. Empty if the file has none, or cannot be read.
std::set<std::string> source_files(const std::string& program);

}  // namespace hocket::debug_info
