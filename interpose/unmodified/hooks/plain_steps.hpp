// Plain reads and writes as steps, like atomic ones. This is optional, and shows what happens because of a
// data race that the user accepts. Such steps create no ordering, so the race is still found where races are
// checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../runtime/objects/var.hpp"

namespace hocket::unmodified {

/// Stops the current thread before it reads or writes `size` bytes, and returns when it is its turn.
void make_step_of_access(std::uintptr_t address, std::size_t size, runtime::VarAccess access);

/// The same for a read by a loop that polls, where other plain accesses are no steps.
void make_step_of_look(std::uintptr_t address, std::size_t size);

/// The same for a copy, which is one step.
void make_step_of_copy(std::uintptr_t to, std::uintptr_t from, std::size_t size);

}  // namespace hocket::unmodified
