#include "retries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
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

/// Whether both calls are on the same line of the source, in one function of the program.
bool are_on_one_line(const void* one, const void* other) {
  if (platform::function_with(one) != platform::function_with(other)) return false;
  const Where here = platform::user_code_at(one);
  const Where there = platform::user_code_at(other);
  return here.line() != 0 && here.line() == there.line() &&
         std::string_view(here.file_name()) == there.file_name();
}

/// The code of the loop that calls the operation before which the thread stops, if `caller` is a copy of
/// that.
const void* operation_in_loop(const Thread& self) {
  const void* const caller = self.instrumented.caller;
  const RetryLoops& loops = *run.options.retry_loops;
  if (caller == nullptr || loops.count(caller) != 0) return caller;
  const void* only = nullptr;
  for (const auto& [other, step] : loops) {
    if (step.operation != self.pending.operation || !are_on_one_line(caller, other)) continue;
    if (only != nullptr) return caller;  // of which of them is not known
    only = other;
  }
  return only != nullptr ? only : caller;
}

/// A hash of the innermost return addresses from that of the operation on, with `operation` in place of that.
std::uint64_t path_to(const void* operation, const void* caller) {
  constexpr std::size_t kMostOfHocket = 16;
  constexpr std::size_t kMost = 8;  // a loop may be made by recursion
  const std::vector<std::uintptr_t> stack = platform::calling_stack(kMostOfHocket + kMost);
  const auto call = reinterpret_cast<std::uintptr_t>(caller) - 1;  // in the instruction before
  std::uint64_t path = 0;
  std::size_t left = kMost;
  for (auto frame = std::find(stack.begin(), stack.end(), call); frame != stack.end() && left != 0;
       ++frame, --left)
    path = mix(path, left == kMost ? reinterpret_cast<std::uintptr_t>(operation) : *frame);
  return path;
}

}  // namespace

void Retries::begin_to_watch() {
  run.cold->retries.places.clear();
  run.cold->retries.replayed_steps.clear();
  pace_.add_reason();
}

// The steps between two visits of the head are a round, as the thread would not yield if it had left the
// loop.
bool Retries::is_due_again(const Thread& self) {
  const OwnMemory own;
  auto& of_threads = run.cold->retries.replayed_steps;
  if (of_threads.size() <= self.index) of_threads.resize(self.index + std::size_t{1});
  std::vector<std::pair<const void*, RetryStep>>& steps = of_threads[self.index];
  const void* const head = self.instrumented.caller;
  const RetryStep step{head, 0, self.pending.operation, self.pending.where};
  const bool is_due = run.options.recorded_giving_way->gives_way(self.index, run.position);
  if (is_due) {
    auto visit =
        std::find_if(steps.rbegin(), steps.rend(), [&](const auto& other) { return other.first == head; });
    if (visit == steps.rend()) {
      visit = std::find_if(steps.rbegin(), steps.rend(), [&](const auto& other) {
        return other.second.operation == step.operation && are_on_one_line(other.first, head);
      });
    }
    RetryLoops loop{{head, step}};
    loop.insert(steps.rbegin(), visit);
    for (auto& [caller, other] : loop) {
      other.loop = head;
      other.round = static_cast<std::uint32_t>(visit - steps.rbegin() + 1);
    }
    add_loops(run.cold->retries.found, loop);
    steps.clear();
  }
  steps.emplace_back(head, step);
  return is_due;
}

bool Retries::is_due(const Thread& self) {
  if (run.options.recorded_giving_way != nullptr) return is_due_again(self);
  const OwnMemory own;
  std::vector<Place>& of_threads = run.cold->retries.places;
  if (of_threads.size() <= self.index) of_threads.resize(self.index + std::size_t{1});
  Place& place = of_threads[self.index];
  const void* const operation = operation_in_loop(self);
  const auto step = run.options.retry_loops->find(operation);
  if (step == run.options.retry_loops->end()) {
    place = {};
    return false;
  }
  const bool shares_head = place.loop != nullptr && is_sabotaged(Sabotage::retries_share_their_heads);
  if (place.loop != step->second.loop && !shares_head) {
    place = {};
    place.loop = step->second.loop;
  }
  if (is_at_head(place, operation, self.instrumented.caller) ||
      is_sabotaged(Sabotage::retries_yield_in_their_middle)) {
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

bool Retries::is_at_head(Place& place, const void* operation, const void* caller) {
  if (place.head != nullptr)
    return operation == place.head && path_to(operation, caller) == place.path_to_head;
  const Place::Operation visit{operation, path_to(operation, caller)};
  if (std::find(place.met.begin(), place.met.end(), visit) == place.met.end()) {
    place.met.push_back(visit);
    return false;
  }
  std::tie(place.head, place.path_to_head) = visit;
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
  add_loops(run.cold->retries.found, loop);
  return true;
}

bool Retries::have_found() {
  return run.cold != nullptr && !run.cold->retries.found.empty();
}
RetryLoops Retries::take_found() {
  return run.cold == nullptr ? RetryLoops{} : std::exchange(run.cold->retries.found, {});
}

}  // namespace hocket::runtime
