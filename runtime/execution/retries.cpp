#include "retries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "../platform/symbols/call_site.hpp"
#include "../terms/action_hash.hpp"
#include "../terms/sabotage.hpp"
#include "allocations.hpp"
#include "cold_state.hpp"
#include "pace.hpp"
#include "run.hpp"

namespace hocket::runtime {

namespace {

/// A hash of the innermost return addresses from that of the operation on.
std::uint64_t path_to(const void* caller) {
  constexpr std::size_t kMostOfHocket = 16;
  constexpr std::size_t kMost = 8;  // a loop may be made by recursion
  const std::vector<std::uintptr_t> stack = platform::calling_stack(kMostOfHocket + kMost);
  const auto call = reinterpret_cast<std::uintptr_t>(caller) - 1;  // in the instruction before
  std::uint64_t path = 0;
  std::size_t left = kMost;
  for (auto frame = std::find(stack.begin(), stack.end(), call); frame != stack.end() && left != 0;
       ++frame, --left)
    path = mix(path, *frame);
  return path;
}

}  // namespace

void Retries::begin() {
  const bool is_any = run.options.retry_loops != nullptr && !run.options.retry_loops->empty();
  is_watching_ = is_any || (run.options.recorded_giving_way != nullptr);
  if (!is_watching_) return;
  run.cold->places_in_retries.clear();
  run.cold->replayed_steps.clear();
  pace_.add_reason();
}

// The steps between two visits of the head are a round, as the thread would not yield if it had left the
// loop.
bool Retries::is_due_again(const Thread& self) {
  const OwnMemory own;
  auto& of_threads = run.cold->replayed_steps;
  if (of_threads.size() <= self.index) of_threads.resize(self.index + std::size_t{1});
  std::vector<std::pair<const void*, Where>>& steps = of_threads[self.index];
  const void* const head = self.instrumented.caller;
  const bool is_due = run.options.recorded_giving_way->gives_way(self.index, run.position);
  if (is_due) {
    auto begin = steps.end();
    while (begin != steps.begin() && (begin == steps.end() || begin->first != head)) --begin;
    const auto round = static_cast<std::uint32_t>(steps.end() - begin);
    RetryLoops loop;
    std::for_each(begin, steps.end(), [&](const auto& step) {
      loop.emplace(step.first, RetryStep{head, round, step.second});
    });
    add_loops(run.cold->retries_found, loop);
    steps.clear();
  }
  steps.emplace_back(head, self.pending.where);
  return is_due;
}

bool Retries::is_due(const Thread& self) {
  if (run.options.recorded_giving_way != nullptr) return is_due_again(self);
  const OwnMemory own;
  std::vector<Place>& of_threads = run.cold->places_in_retries;
  if (of_threads.size() <= self.index) of_threads.resize(self.index + std::size_t{1});
  Place& place = of_threads[self.index];
  const void* const caller = self.instrumented.caller;
  const auto step = run.options.retry_loops->find(caller);
  if (step == run.options.retry_loops->end()) {
    place = {};
    return false;
  }
  const bool shares_head = place.loop != nullptr && is_sabotaged(Sabotage::retries_share_their_heads);
  if (place.loop != step->second.loop && !shares_head) {
    place = {};
    place.loop = step->second.loop;
  }
  if (is_at_head(place, caller) || is_sabotaged(Sabotage::retries_yield_in_their_middle)) {
    place.steps = 0;
    return true;
  }
  constexpr std::uint32_t kRounds = 4;  // no round comes by its head any more: this is another loop
  if (++place.steps > kRounds * step->second.round && place.head != nullptr && !shares_head) {
    place = {};
    place.loop = step->second.loop;
  }
  return false;
}

bool Retries::is_at_head(Place& place, const void* caller) {
  if (place.head != nullptr) return caller == place.head && path_to(caller) == place.path_to_head;
  const Place::Operation operation{caller, path_to(caller)};
  if (std::find(place.met.begin(), place.met.end(), operation) == place.met.end()) {
    place.met.push_back(operation);
    return false;
  }
  std::tie(place.head, place.path_to_head) = operation;
  place.met.clear();
  return true;
}

bool Retries::note(const RetryLoops& loop) {
  if (loop.empty()) return false;
  const RetryLoops* const known = run.options.retry_loops;
  const auto loop_of = [known](const void* caller) -> const void* {
    const auto step = known->find(caller);
    return step != known->end() ? step->second.loop : nullptr;
  };
  const void* const first = known != nullptr ? loop_of(loop.begin()->first) : nullptr;
  const auto is_like_first = [&](const auto& step) { return loop_of(step.first) == first; };
  if (first != nullptr && std::all_of(loop.begin(), loop.end(), is_like_first)) return false;
  const OwnMemory own;  // the search reads it after the body's memory is put back, or its process is gone
  add_loops(run.cold->retries_found, loop);
  return true;
}

RetryLoops Retries::take_found() {
  return run.cold == nullptr ? RetryLoops{} : std::exchange(run.cold->retries_found, {});
}

}  // namespace hocket::runtime
