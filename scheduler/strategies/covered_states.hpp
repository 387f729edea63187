// When a state that was reached before covers the current point, for the strategies that remember states.
//
// An earlier visit with fewer preemptions covers everything that follows, whichever thread came last:
// continuing with another thread costs at most one preemption, and at least one was saved. With equally many
// preemptions, the same thread must have come last. If switching away from a thread is free, it counts as no
// thread. Bounds are searched in ascending order, so the first visit is the cheapest.
#pragma once

#include <cstdint>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../../runtime/terms/sabotage.hpp"

namespace hocket {

/// The stable key of the thread that came last if switching away from it costs something; otherwise 0.
inline std::uint64_t last_that_counts(const runtime::LogEntry& entry) {
  if (runtime::is_sabotaged(runtime::Sabotage::no_last_thread_in_cache_key)) return 0;
  return entry.switch_price != 0 ? runtime::execution.thread(entry.previous).key : 0;
}

/// Whether the happens-before graph does not determine what may follow the current point.
inline bool is_more_than_its_graph(const runtime::LogEntry& entry) {
  // The graph contains the choices of values, but not the point where one is being made.
  if (entry.kind == runtime::LogEntry::value)
    return !runtime::is_sabotaged(runtime::Sabotage::values_make_states);
  // Only the thread that came last may run, which a price cannot express.
  const runtime::Thread& last = runtime::execution.thread(entry.previous);
  const bool is_sealed = last.is_sealed && entry.switch_price != 0;
  return (last.preemption_forbidden != 0 || is_sealed) && runtime::run.enabled.contains(last.index) &&
         !runtime::is_sabotaged(runtime::Sabotage::guarded_states_are_known);
}

}  // namespace hocket
