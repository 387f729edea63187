// What lets an execution go on in which no thread can: something that comes from outside of the process, for
// example through a socket.
#pragma once

#include <cstdint>

#include "../threads/thread.hpp"

namespace hocket::runtime {

enum class FromOutside : std::uint8_t {
  nothing,
  something,    ///< and a thread can go on now
  interruption  ///< Verdict::is_interrupted()
};

/// Called when no thread can go on: waits, in real time, if a thread waits for something that may come from
/// outside. nullptr where no thread ever does.
using WaitForOutside = FromOutside();
inline constinit WaitForOutside* wait_for_outside = nullptr;

/// Asks it. Returns whether a thread can go on; after an interruption the execution is being ended.
[[nodiscard, gnu::cold]] bool goes_on_from_outside();

/// Lets `thread`, which waits on an atomic, look again.
void wake_at_atomic(Thread& thread);

}  // namespace hocket::runtime
