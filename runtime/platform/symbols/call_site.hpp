// Where in the user's code an operation was called, when a default argument cannot provide it: the call came
// through the standard library (std::lock_guard) or through an operator, which can have no such argument.
//
// Slow, and used only while an execution is recorded. Walks the calling stack and looks its addresses up in
// the debug information (debug_info.hpp). Without that, no place is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../../terms/where.hpp"

namespace hocket::runtime::platform {

struct StackFrame;

/// Returns `where` if that is in the user's code. Otherwise returns the innermost place in the user's code on
/// the calling stack, or no place if none is known. The file name lives as long as the process. Preserves
/// errno. Only for the OS thread of the search.
Where user_call_site(const Where& where);

/// The innermost `most` frames of the calling stack, for user_code_on(). Takes microseconds: it reads no
/// debug information. Preserves errno.
std::vector<std::uintptr_t> calling_stack(std::size_t most);

/// The innermost place in the user's code on a stack that calling_stack() has found in this process or in a
/// child of it; no place if none is known. Slow. Only for the OS thread of the search.
Where user_code_on(std::span<const std::uintptr_t> stack);

/// The innermost function of the user's code on the calling stack; nullptr if none is known. One address
/// stands for one place in the machine code, and lives as long as the process. Takes about a microsecond,
/// where a place comes for the first time longer. Preserves errno. Only for the OS thread of the search.
const StackFrame* user_function_on_stack();

/// The place in the user's code of the call that returns to `return_address`; no place if none is known. The
/// first query for an address is slow. Only for the OS thread of the search.
Where user_code_at(const void* return_address);

/// The linker's name of the function that makes the call that returns to `return_address`, not of one that
/// was inlined there, also where there is no debug information; empty if the program was stripped. The first
/// query is slow. Only for the OS thread of the search.
std::string_view function_with(const void* return_address);

/// Whether the call that returns to `return_address` is in a file whose path ends with `file`, or in a
/// function of that file that was inlined there. False if that is not known. The first query for an address
/// is slow. Only for the OS thread of the search.
bool passes_through(const void* return_address, std::string_view file);

/// Whether user_call_site() is running: the first answer may take long. For signal handlers on that OS
/// thread.
bool is_looking_up_places();

}  // namespace hocket::runtime::platform
