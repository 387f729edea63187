// Where pointers to the body's blocks lie that keep them from being lost, but for other blocks.
#pragma once

#include <cstdint>
#include <functional>

namespace hocket::unmodified {

/// Calls `visit(begin, end)` for the data of the program and of the libraries, without Hocket's own; for the
/// thread_local variables of the body's own thread, and all that the threads have that have not ended: their
/// stacks and thread_local variables too.
void for_each_root_of_blocks(const std::function<void(std::uintptr_t, std::uintptr_t)>& visit);

}  // namespace hocket::unmodified
