// What is kept of a logical thread while it runs code that was not written for Hocket. Calls from such code
// fill it (interpose/unmodified/); the runtime reads where the thread is, and what it looks at again and
// again.
#pragma once

#include <cstdint>
#include <vector>

#include "looks.hpp"
#include "standard_lock.hpp"

namespace hocket::runtime {

struct Pending;

struct InstrumentedThread {
  /// The machine instruction for which the runtime was called, where the calling code itself is not the
  /// user's; or nullptr.
  const void* caller = nullptr;
  /// The last call that set `caller`: the stack pointer of the calling code, and the return address. 0 if not
  /// known.
  std::uintptr_t entered_at = 0;
  const void* entered_from = nullptr;

  /// Further objects in the same memory as the object of the pending operation, which accesses them in the
  /// same mode.
  std::vector<Object*> parts_touched;

  StandardLock standard_lock;
  Looks looks;
  LatestWrites latest_writes;
  VolatileReads volatile_reads;
  ClockVisits clock_visits;
  std::uint32_t plain_changes = 0;   ///< so far, outside the thread's own stack
  std::uint32_t untold_changes = 0;  ///< those of them that `values_found` does not tell
  /// If its pending yield is that of a loop that retries: what it is about to do after it.
  const Pending* gives_way_before = nullptr;
  /// A hash of the plain data that the thread has found since its last look, where it read and where it
  /// wrote.
  std::uint64_t values_found = 0;

  /// To be called when the thread begins. What has changed before is compared only with what changes later.
  void begin() {
    looks.begin();
    volatile_reads = {};
    clock_visits = {};
    standard_lock = {};
    caller = nullptr;
    entered_at = 0;
    gives_way_before = nullptr;
    parts_touched.clear();
  }

  /// To be called for a change outside the thread's own stack that nothing else tells.
  void note_untold_change() {
    ++plain_changes;
    ++untold_changes;
  }
};

}  // namespace hocket::runtime
