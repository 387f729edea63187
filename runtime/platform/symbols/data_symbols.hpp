// The names of the global variables of a program and its shared libraries, from their symbol tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hocket::runtime::platform {

/// The name, as in source code, of the variable of the program or a shared library that `address` lies in:
/// "hits", "queue::lock", "table+8" for the ninth byte. Empty if it lies in none or the file was stripped.
/// The first call for a file reads its symbol table.
std::string data_symbol_at(std::uintptr_t address);

/// Calls `visit(address, size)` for each variable of the program whose linker name begins with `prefix`.
void for_each_data_symbol(
    std::string_view prefix, const std::function<void(std::uintptr_t, std::size_t)>& visit);

/// The offset of `address` from the load address of the main program, if it lies in the program's memory;
/// otherwise 0.
std::uintptr_t offset_in_this_program(std::uintptr_t address);

}  // namespace hocket::runtime::platform
