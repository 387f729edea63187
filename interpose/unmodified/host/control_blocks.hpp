// A thread control block (TCB) for each logical thread. It is the block of a real thread that is parked
// forever.
//
// The block holds the data that is private to a thread: thread_local variables, errno, the exceptions in
// flight, the result of pthread_self(). Between executions it is restored to its state at the start of its
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace hocket::unmodified {

/// The block of the logical thread with that index. It is made at the first request.
std::uintptr_t control_block_of(unsigned index);

/// The number of blocks made so far, each with a thread of the system.
std::size_t control_blocks_made();

/// Forgets the blocks beyond the first `count`: they were made in a child process, which is gone.
void forget_control_blocks_beyond(std::size_t count);

/// Restores the initial values of the block's thread_local variables, except those of libc itself.
void reset_control_block(unsigned index);

/// Calls `visit(begin, end)` for the thread_local variables of the block, once for each module.
void for_each_image(unsigned index, const std::function<void(std::uintptr_t, std::uintptr_t)>& visit);

/// Between these lies all thread_local storage, among other memory.
struct SpanOfThreadLocals {
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
};
extern constinit SpanOfThreadLocals span_of_thread_locals;

/// The index of the thread whose block has a thread_local variable there.
std::optional<unsigned> owner_of_thread_local(std::uintptr_t address);

/// The distance from `address` up to the end of the block's thread_local storage, if the address lies in that
/// storage.
std::optional<std::uintptr_t> distance_in_control_block(unsigned index, std::uintptr_t address);

/// Where a thread_local variable is.
struct PlaceInModule {
  std::uintptr_t module;  ///< an address of the program or library that has it
  std::size_t offset;     ///< from the beginning of the thread_local storage of that
};

/// The place of `address`, if that lies in the thread_local storage of the block.
std::optional<PlaceInModule> place_in_control_block(unsigned index, std::uintptr_t address);

}  // namespace hocket::unmodified
