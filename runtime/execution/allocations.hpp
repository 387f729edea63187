// Memory that the body allocates: which allocations belong to the body, and what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../objects/observer.hpp"
#include "../terms/where.hpp"
#include "run.hpp"

namespace hocket::runtime {

/// While an OwnMemory exists, memory allocated on a fiber belongs to the runtime, the strategy or the
/// recording, not to the body. An OwnMemory must not live across a fiber switch.
class OwnMemory {
 public:
  OwnMemory() {
    ++run.own_memory;
    keep_in_order();
  }
  ~OwnMemory() {
    keep_in_order();
    --run.own_memory;
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

 private:
  /// A compiler barrier. Compilers know that `new` does not use the counter, so Clang would otherwise move
  /// both updates to one side of the allocation, or drop them.
  static void keep_in_order() { __asm__ volatile("" ::: "memory"); }
};

/// Note that a block was allocated on a fiber, or freed. Used while Run::counts_memory. The block is
/// passed as an address because it is still uninitialised and compilers would warn about a pointer to it.
void note_allocated(std::uintptr_t address, std::size_t size, Where where);
void note_freed(std::uintptr_t address);

/// For tests, which look at the calling stack for an OwnMemory that was forgotten: called for each block
/// that is allocated in the body's name while this is not nullptr.
using AllocationCheck = void (*)();
extern constinit AllocationCheck on_allocation_of_body;

/// Forwards every event to `observer`. Memory that the observer allocates does not count as the body's.
std::unique_ptr<Observer> with_own_memory(Observer& observer);

}  // namespace hocket::runtime
