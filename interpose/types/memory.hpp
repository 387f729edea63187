// hocket::note_allocation and note_release: which memory the body takes and gives back.
//
// While Detector::leaked_memory is on, what a body has taken and not given back when its execution is over is
// a leak. A program that links hocket::new_delete need not say anything: its new and delete do. Allocators of
// other kinds (malloc, an arena) call these two.
//
// No leak is what was taken outside the body, what was given back anywhere before the execution's end, and
// what static storage of the program still leads to then: a cache that the first execution fills stays. What
// only thread_local variables or memory from outside the body lead to is taken for a leak.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/where.hpp"

namespace hocket {

/// `size` bytes at `pointer` have been taken. Does nothing outside a body.
[[gnu::always_inline]] inline void note_allocation(
    const void* pointer, std::size_t size, runtime::Where where = runtime::Where::current()) {
  if (runtime::execution.counts_memory && runtime::is_controlled()) [[unlikely]]
    runtime::note_allocated(reinterpret_cast<std::uintptr_t>(pointer), size, where);
}

/// The memory at `pointer` is given back. To be called before it is: it may be given to another thread then.
[[gnu::always_inline]] inline void note_release(const void* pointer) {
  if (runtime::execution.counts_memory && runtime::is_controlled()) [[unlikely]]
    runtime::note_freed(reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace hocket
