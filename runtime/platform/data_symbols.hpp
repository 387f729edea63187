// The names of a program's global variables and of its shared libraries', from their symbol tables.
#pragma once

#include <cstdint>
#include <string>

namespace hocket::runtime::platform {

/// The variable of the program or of a shared library that `address` lies in, as in source code: "hits",
/// "queue::lock", "table+8" for the ninth byte. Empty if it lies in none or the file was stripped. The first
/// call for a file reads its symbol table.
std::string data_symbol_at(std::uintptr_t address);

/// The distance of `address` from where the main program was loaded, if it lies in the program's memory;
/// otherwise 0.
std::uintptr_t offset_in_this_program(std::uintptr_t address);

}  // namespace hocket::runtime::platform
