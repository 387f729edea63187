// The names of a program's global variables and of its shared libraries', from their symbol tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hocket::runtime::platform {

/// The variable of the program or of a shared library that `address` lies in, as in source code: "hits",
/// "queue::lock", "table+8" for the ninth byte. Empty if it lies in none or the file was stripped. The first
/// call for a file reads its symbol table.
std::string data_symbol_at(std::uintptr_t address);

/// Calls `visit(address, size)` for each variable of the program whose name, as the linker has it, begins so.
void for_each_data_symbol(
    std::string_view prefix, const std::function<void(std::uintptr_t, std::size_t)>& visit);

/// The distance of `address` from where the main program was loaded, if it lies in the program's memory;
/// otherwise 0.
std::uintptr_t offset_in_this_program(std::uintptr_t address);

}  // namespace hocket::runtime::platform
