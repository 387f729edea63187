// What a thread has read since its last yield, which tells whether the next one is futile.
#pragma once

#include <cstdint>

#include "../objects/object.hpp"
#include "../threads/thread.hpp"

namespace hocket::runtime {

/// Adds that `thread` has read `object`, in that version, to Thread::reads_since_yield. However often the
/// thread reads, the list stays about as long as there are different objects and versions: it is gone through
/// at each choice while the thread is at a yield.
void note_read_since_yield(Thread& thread, const Object& object, std::uint32_t version);

}  // namespace hocket::runtime
