// hocket::note_allocation and note_release: which memory the body allocates and frees.
//
// While Detector::leaked_memory is on, memory that a body has allocated and not freed when its execution ends
// is a leak. A program that links hocket::new_delete need not call these functions: its new and delete do.
// Other allocators (malloc, an arena) call them.
//
// Memory is not a leak if it was allocated outside the body, if it was freed anywhere before the execution
// ended, or if the program's static storage still leads to it then: a cache that the first execution fills
// stays. Memory that only thread_local variables or memory from outside the body lead to counts as a leak.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"

namespace hocket {

/// Notes that `size` bytes at `pointer` have been allocated. Does nothing outside a body.
[[gnu::always_inline]] inline void note_allocation(
    const void* pointer, std::size_t size, runtime::Where where = runtime::Where::current()) {
  if (runtime::run.counts_memory && runtime::is_controlled()) [[unlikely]]
    runtime::note_allocated(reinterpret_cast<std::uintptr_t>(pointer), size, where);
}

/// Notes that the memory at `pointer` is being freed. Call it before the memory is freed, because afterwards
/// another thread may be given the same memory.
[[gnu::always_inline]] inline void note_release(const void* pointer) {
  if (runtime::run.counts_memory && runtime::is_controlled()) [[unlikely]]
    runtime::note_freed(reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace hocket
