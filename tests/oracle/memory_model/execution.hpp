// A candidate execution as the axioms see it: events, and relations between them that somebody guessed. The
// axioms (axioms.hpp) say whether the guess is an execution of C++.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/oracle/programs/program.hpp"

namespace hocket::memory_model {

using oracle::Code;
using oracle::Instruction;
using oracle::Kind;
using oracle::kMostObjects;
using oracle::kMostThreads;
using oracle::Object;
using oracle::Program;
using oracle::Verb;

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
  std::uint8_t object = 0;  ///< or a thread, as the kind says
  bool reads = false;       ///< an access; one that reads and writes is a read-modify-write
  bool writes = false;
  bool is_plain = false;
  bool falls_asleep = false;  ///< a wait that found the old value, and compared it with the newest
  std::memory_order order = std::memory_order_relaxed;
  std::int8_t value = 0;           ///< that it writes
  EventIndex from = kNoEvent;      ///< the write that it reads
  EventIndex compared = kNoEvent;  ///< wait: the write that was the newest
  EventIndex woken_by = kNoEvent;  ///< the notification due to which its thread went on
};

struct Execution {
  template <class Value>
  using ByObject = std::array<Value, kMostObjects>;

  std::vector<Event> events;  ///< the first values come first
  /// The writes of each location, the first value among them, in modification order.
  ByObject<std::vector<EventIndex>> modifications;
  ByObject<std::vector<EventIndex>> orders;  ///< events on each mutex in their total order
  ByObject<std::vector<EventIndex>> queues;  ///< who slept at an object, and notified it, in a total order

  [[nodiscard]] const Event& at(EventIndex index) const { return events[static_cast<std::size_t>(index)]; }
};

}  // namespace hocket::memory_model
