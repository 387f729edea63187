// Functions: their names as people say them, and those that an instruction belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <elfutils/libdw.h>

#include "process_files.hpp"

namespace hocket::debug_info {

struct Frame {
  Dwarf_Die scope{};  ///< the function, or its copy where it is inlined; null if only its symbol is known
  std::string function;
  std::string short_function;
  std::string file;
  int line = 0;
  std::string folder;  ///< that a relative path of the file begins in; may be unknown
};

/// The name with the classes and namespaces around it: "server::Cache::put", "lambda in main". Works for
/// functions, variables and types. Nameless and inline namespaces are left out, as are long arguments of
/// templates. Of a variable in a function the name is "hits in main".
std::string full_name(Dwarf_Die die);

/// The same without namespaces and arguments of templates: "Cache::put". A reader of a report finds it by the
/// place beside it.
std::string short_name(Dwarf_Die die);

/// The name in C++ of a symbol; empty if it is no name of C++.
std::string demangled(const char* symbol);

/// Functions of the standard library and of Hocket, and those without a name.
bool is_of_library(std::string_view function);

/// The same for a function by its description; lambdas belong to the function that they are in.
bool is_of_library(Dwarf_Die function);

/// Functions that the macros of test frameworks define. A reader does not know their names, and there is only
/// one in a test.
bool is_body_of_test(std::string_view function);

/// What is around the entity, innermost first; the entity is not among it.
std::vector<Dwarf_Die> what_is_around(Dwarf_Die die);

/// The declaration or abstract description of a function or variable that may be described in parts.
Dwarf_Die origin_of(Dwarf_Die die);

/// The blocks and functions around the instruction, the innermost first, inlined ones included. The last is
/// the function whose code it is.
std::vector<Dwarf_Die> scopes_at(ProcessFiles& files, const File& file, std::uint64_t address);

/// The function at the instruction and those that it is inlined into, innermost first.
std::vector<Frame> frames_at(ProcessFiles& files, std::uint64_t address);

}  // namespace hocket::debug_info
