// The names of a program's global variables, from its symbol table.
#pragma once

#include <cstdint>
#include <string>

namespace hocket::runtime::platform {

/// The variable of the main program that `address` lies in, as in source code: "hits", "queue::lock",
/// "table+8" for the ninth byte. Empty if it lies in none or the program was stripped. The first call reads
/// the symbol table.
std::string data_symbol_at(std::uintptr_t address);

/// The distance of `address` from where the main program was loaded, if it lies in the program's memory;
/// otherwise 0.
std::uintptr_t offset_in_this_program(std::uintptr_t address);

}  // namespace hocket::runtime::platform
