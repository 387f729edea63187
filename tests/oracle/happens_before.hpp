// Which accesses to plain data race, by the definition: of all events of an execution, which happen before
// which (C++20, [intro.races] and [atomics.fences]), and which conflict.
#pragma once

#include <bitset>
#include <cstddef>
#include <vector>

#include "tests/oracle/event.hpp"

namespace hocket::oracle {

inline constexpr std::size_t kMostEvents = 256;

/// The events of one execution, in the order in which they happened.
using History = std::vector<Event>;

/// For each event those that it happens before.
std::vector<std::bitset<kMostEvents>> happens_before(const History& history);

/// Whether the two events, to the same object by two threads, are accesses of which one must not be while the
/// other is: one is plain, one writes.
bool conflict(const Event& one, const Event& other);

/// The events with which the last one races.
std::vector<std::size_t> racing_with_last(const History& history);

}  // namespace hocket::oracle
