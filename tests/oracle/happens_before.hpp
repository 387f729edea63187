// Determines by definition which accesses to plain data race: from all events of an execution it derives
// which happen before which (C++20, [intro.races] and [atomics.fences]) and which conflict.
#pragma once

#include <bitset>
#include <cstddef>
#include <vector>

#include "tests/oracle/event.hpp"

namespace hocket::oracle {

inline constexpr std::size_t kMostEvents = 256;

/// The events of one execution, in the order in which they happened.
using History = std::vector<Event>;

/// For each event, the set of events before which it happens.
std::vector<std::bitset<kMostEvents>> happens_before(const History& history);

/// Whether the two events, which are on the same object by two threads, conflict: at least one is a plain
/// access, and at least one writes.
bool conflict(const Event& one, const Event& other);

/// The events with which the last one races.
std::vector<std::size_t> racing_with_last(const History& history);

}  // namespace hocket::oracle
