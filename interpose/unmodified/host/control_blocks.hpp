// A thread control block for each logical thread: that of a real thread, which is parked for ever.
//
// It holds what belongs to a thread alone: thread_local variables, errno, the exceptions in flight, what
// pthread_self() returns. Between executions it is put back to how it was when its thread began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace hocket::unmodified {

/// The block of the logical thread with that index; made when it is asked for the first time.
std::uintptr_t control_block_of(unsigned index);

/// How many have been made, each with a thread of the system.
std::size_t control_blocks_made();

/// Those beyond the first `count` were made in a child process, which is gone.
void forget_control_blocks_beyond(std::size_t count);

/// Puts the thread_local variables of the block back to their first values, all but those of libc itself.
void reset_control_block(unsigned index);

/// Calls `visit(begin, end)` for the thread_local variables of the block, module by module.
void for_each_image(unsigned index, const std::function<void(std::uintptr_t, std::uintptr_t)>& visit);

/// How far `address` lies below the end of the thread_local storage of the block, if it lies in it.
std::optional<std::uintptr_t> distance_in_control_block(unsigned index, std::uintptr_t address);

}  // namespace hocket::unmodified
