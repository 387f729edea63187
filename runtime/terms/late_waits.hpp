// Which waits with a time may expire now, where some are late: those end only where no thread can go on
// usefully, and in the order of their times. The runtime asks by this rule, and happens-before graphs for
// executions that were not run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "thread_set.hpp"

namespace hocket::runtime {

/// What the rule looks at beside the waits themselves.
struct BesideWaits {
  bool somebody_is_useful;  ///< a thread can go on usefully
  std::int64_t first_end_of_sleeps =
      std::numeric_limits<std::int64_t>::max();  ///< when the first of those sleeps ends that may end now
};

/// Those of `expirable` that may expire. `is_late` and `end_of` tell of the wait of a thread.
template <class IsLate, class EndOf>
ThreadSet without_late_waits(
    ThreadSet expirable, const BesideWaits& beside, const IsLate& is_late, const EndOf& end_of) {
  const ThreadSet all = expirable;
  std::int64_t first_end = beside.first_end_of_sleeps;
  all.for_each([&](unsigned thread) { first_end = std::min<std::int64_t>(first_end, end_of(thread)); });
  all.for_each([&](unsigned thread) {
    if (is_late(thread) && (beside.somebody_is_useful || end_of(thread) > first_end)) expirable.erase(thread);
  });
  return expirable;
}

}  // namespace hocket::runtime
