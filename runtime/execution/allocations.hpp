// Memory that the body allocates: which allocations are its own, and what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../terms/where.hpp"
#include "execution.hpp"

namespace hocket::runtime {

/// While one lives, memory that is allocated on a fiber is the runtime's, the strategy's or the recording's,
/// not the body's. Never across a switch of fibers.
class OwnMemory {
 public:
  OwnMemory() {
    ++execution.own_memory;
    keep_in_order();
  }
  ~OwnMemory() {
    keep_in_order();
    --execution.own_memory;
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

 private:
  /// Compilers know what `new` does elsewhere: Clang counts up and down again behind it, or not at all.
  static void keep_in_order() { __asm__ volatile("" ::: "memory"); }
};

/// An allocation on a fiber and its end, while Execution::counts_memory. By address: it holds nothing yet,
/// and compilers would warn of a pointer to it.
void note_allocated(std::uintptr_t address, std::size_t size, Where where);
void note_freed(std::uintptr_t address);

/// Passes everything on to `observer`, whose memory is its own.
std::unique_ptr<Observer> with_own_memory(Observer& observer);

}  // namespace hocket::runtime
