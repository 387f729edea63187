// Plain reads and writes as steps, as atomic ones are, on request: to see what a data race does that the user
// accepts. They order nothing, so that the race is still found where races are looked for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../runtime/objects/var.hpp"

namespace hocket::unmodified {

/// Stops the current thread before it reads or writes so many bytes, and returns when it is its turn.
void make_step_of_access(std::uintptr_t address, std::size_t size, runtime::VarAccess access);

/// The same for a copy, which is one step.
void make_step_of_copy(std::uintptr_t to, std::uintptr_t from, std::size_t size);

}  // namespace hocket::unmodified
