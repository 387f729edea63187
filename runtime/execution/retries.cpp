#include "retries.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../terms/sabotage.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "pace.hpp"
#include "run.hpp"

namespace hocket::runtime {

void Retries::begin() {
  const bool is_any = run.options.retry_loops != nullptr && !run.options.retry_loops->empty();
  is_watching_ = is_any || (run.options.recorded_giving_way != nullptr);
  if (!is_watching_) return;
  run.cold->places_in_retries.clear();
  pace_.add_reason();
}

bool Retries::is_due(const Thread& self) {
  if (run.options.recorded_giving_way != nullptr)
    return run.options.recorded_giving_way->gives_way(self.index, run.position);
  const OwnMemory own;
  std::vector<Place>& of_threads = run.cold->places_in_retries;
  if (of_threads.size() <= self.index) of_threads.resize(self.index + std::size_t{1});
  Place& place = of_threads[self.index];
  const void* const caller = self.instrumented.caller;
  const auto loop = run.options.retry_loops->find(caller);
  if (loop == run.options.retry_loops->end()) {
    place = {};
    return false;
  }
  if (place.head == nullptr) {
    place.head = caller;
    return false;
  }
  constexpr std::uint32_t kRounds = 4;  // where a round does not come by its head
  const bool is_at_head = caller == place.head || is_sabotaged(Sabotage::retries_yield_in_their_middle);
  if (!is_at_head && ++place.steps <= kRounds * loop->second.round) return false;
  place.steps = 0;
  return true;
}

bool Retries::note(const RetryLoops& loop) {
  const RetryLoops* const known = run.options.retry_loops;
  const auto is_known = [&](const auto& step) { return known != nullptr && known->contains(step.first); };
  if (loop.empty() || std::all_of(loop.begin(), loop.end(), is_known)) return false;
  const OwnMemory own;  // the search reads it after the body's memory is put back, or its process is gone
  run.cold->retries_found.insert(loop.begin(), loop.end());
  return true;
}

RetryLoops Retries::take_found() {
  return run.cold == nullptr ? RetryLoops{} : std::exchange(run.cold->retries_found, {});
}

}  // namespace hocket::runtime
