// A candidate execution as the axioms see it: events, and relations between them that somebody guessed. The
// axioms (axioms.hpp) say whether the guess is an execution of C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/oracle/memory_model/program.hpp"

namespace hocket::memory_model {

enum class EventKind : std::uint8_t {
  first,  ///< the initial value of a location, before all else
  access,
  fence,
  lock,
  unlock,
  sleep,  ///< at a condition variable; it is also an unlock
  notice,
  start,
  join,
};

using EventIndex = std::int8_t;
inline constexpr EventIndex kNoEvent = -1;

struct Event {
  EventKind kind = EventKind::access;
  std::int8_t thread = -1;  ///< -1 for the first values
  std::int8_t number = 0;   ///< among the events of its thread
  std::uint8_t object = 0;  ///< a location, mutex, queue or thread, as the kind says
  bool reads = false;       ///< an access; one that reads and writes is a read-modify-write
  bool writes = false;
  bool is_plain = false;
  bool falls_asleep = false;  ///< a wait that found the old value, and compared it with the newest
  Order order = Order::relaxed;
  std::int8_t value = 0;           ///< that it writes
  EventIndex from = kNoEvent;      ///< the write that it reads
  EventIndex compared = kNoEvent;  ///< wait: the write that was the newest
  EventIndex woken_by = kNoEvent;  ///< the notification due to which its thread went on
};

/// The places where threads sleep: one for each location, and the condition variables.
inline constexpr unsigned kQueues = kLocations + kConditions;

struct Execution {
  std::vector<Event> events;  ///< the first kLocations are the first values
  /// The writes of each location, the first value among them, in modification order.
  std::array<std::vector<EventIndex>, kLocations> modifications;
  std::array<std::vector<EventIndex>, kMutexes> locks;  ///< events on each mutex in their total order
  std::array<std::vector<EventIndex>, kQueues> queues;  ///< who slept, and notified, in a total order

  [[nodiscard]] const Event& at(EventIndex index) const { return events[static_cast<std::size_t>(index)]; }
};

}  // namespace hocket::memory_model
