// The memory outside the body's own blocks in which a pointer to such a block keeps it from counting as
// leaked.
#pragma once

#include <cstdint>
#include <functional>

namespace hocket::unmodified {

/// Calls `visit(begin, end)` for the data of the program and of the libraries, without Hocket's own, and for
/// the outer heap. Also visits the thread_local variables of the body's own thread and, for every thread that
/// has not ended, its stack, its thread_local variables and its pthread-key values.
void for_each_root_of_blocks(const std::function<void(std::uintptr_t, std::uintptr_t)>& visit);

}  // namespace hocket::unmodified
