// Where the program's assertions were compiled out: cmake/libc/assert.h leaves the names of the files.
#pragma once

#include <string>
#include <vector>

namespace hocket::runtime::platform {

/// The source files of the user's code, as the compiler was given them, in which an assert() is compiled out
/// because NDEBUG is defined: of the program and the libraries that are loaded. Only those that were
/// instrumented are known.
std::vector<std::string> files_with_compiled_out_assertions();

}  // namespace hocket::runtime::platform
