// What the build of the program and of its libraries noted in sections of their files, which are not loaded.
#pragma once

#include <string>
#include <vector>

namespace hocket::runtime::platform {

/// The source files of the user's code, as the compiler was given them, in which an assert() is compiled out
/// because NDEBUG is defined: of the program and the libraries that are loaded. Only those that were
/// instrumented are known. cmake/libc/assert.h notes them.
std::vector<std::string> files_with_compiled_out_assertions();

/// The instrumented functions with atomic operations, system calls or reads of the time stamp counter in
/// inline assembly, of which Hocket sees nothing. tools/check_hooks notes them, as it does the next.
std::vector<std::string> functions_with_assembly();

/// The libraries that belong to the project and were not instrumented, without those that are left out on
/// purpose.
std::vector<std::string> libraries_without_hooks();

}  // namespace hocket::runtime::platform
