// Where in the user's code an operation was called, when a default argument cannot tell: the call came
// through the standard library (std::lock_guard) or through an operator, which can have no such argument.
//
// Slow, and used only while an execution is recorded. Walks the calling stack and has addr2line, which runs
// beside the process from the first need to its end, translate the addresses. Where there is no addr2line or
// no debug information, no place is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../../terms/where.hpp"

namespace hocket::runtime::platform {

/// `where` if that is in the user's code. Otherwise the innermost place in the user's code on the calling
/// stack; no place if none is known. Its file name lives as long as the process. Leaves errno alone. Only for
/// the OS thread of the search.
Where user_call_site(const Where& where);

/// The innermost `most` frames of the calling stack, for user_code_on(): takes microseconds, and asks nobody.
/// Leaves errno alone.
std::vector<std::uintptr_t> calling_stack(std::size_t most);

/// The innermost place in the user's code on a stack that calling_stack() has found in this process or in a
/// child of it; no place if none is known. Slow. Only for the OS thread of the search.
Where user_code_on(std::span<const std::uintptr_t> stack);

/// The place in the user's code to which the call before `return_address` belongs; no place if none is known.
/// The first question for an address is slow. Only for the OS thread of the search.
Where user_code_at(const void* return_address);

/// Whether the call before `return_address` stands in a file whose path ends so, or in a function of it that
/// was inlined there. False where that is not known. The first question for an address is slow. Only for the
/// OS thread of the search.
bool passes_through(const void* return_address, std::string_view file);

/// Ends addr2line, which is started again at the next need: what is known of it means something in this
/// process only, and a child process is about to be made, or to end.
void stop_translating();

/// Whether user_call_site() is at work: the first answer may take long. For signal handlers of that OS
/// thread.
bool is_looking_up_places();

}  // namespace hocket::runtime::platform
