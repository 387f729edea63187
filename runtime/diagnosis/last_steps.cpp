#include "last_steps.hpp"

#include <algorithm>
#include <span>

#include "../threads/thread.hpp"

namespace hocket::runtime {

bool LastSteps::Step::yields() const {
  return gives_way(operation, mode);
}

void LastSteps::note(const Thread& thread, Operation operation, Mode mode, const Object* object,
    const ThreadSet& able, std::int64_t now) {
  const bool has_state = object != nullptr && object->kind->fingerprint != nullptr;
  const std::uint64_t found = operation == Operation::clock_now ? static_cast<std::uint64_t>(now)
                              : has_state                       ? object->kind->fingerprint(*object)
                                                                : 0;
  steps_.push_back({object, found, able, now, thread.instrumented.caller, thread.pending.where,
      static_cast<std::uint16_t>(thread.index), operation, mode});
}

// The shortest round that has been repeated through at least half of the steps, three times or more. The
// states in which the objects were found distinguish a thread that spins from one that counts.
std::size_t LastSteps::round(std::size_t begin, std::size_t end) const {
  constexpr std::size_t kRounds = 3;
  const std::size_t size = end - begin;
  for (std::size_t round = 1; round * kRounds <= size; ++round) {
    const std::size_t length = std::max(size / 2, round * (kRounds - 1));
    std::size_t n = end - std::min(length, size - round);
    while (n < end && steps_[n].is_like(steps_[n - round])) ++n;
    if (n == end) return round;
  }
  return 0;
}

LastSteps::Diagnosis LastSteps::diagnose(std::size_t begin, std::size_t end) const {
  Diagnosis result;
  result.round = static_cast<std::uint32_t>(round(begin, end));
  if (result.round != 0) begin = end - result.round;
  result.only_reads = std::all_of(steps_.begin() + static_cast<std::ptrdiff_t>(begin),
      steps_.begin() + static_cast<std::ptrdiff_t>(end),
      [](const Step& step) { return semantics_of(step.operation).effect == Effect::reads; });
  ThreadSet yielding;
  for (std::size_t n = begin; n < end; ++n) {
    const Step& step = steps_[n];
    result.repeating.insert(step.thread);
    result.starved |= step.able;
    if (step.yields()) yielding.insert(step.thread);
  }
  result.starved -= result.repeating;
  result.spinning = result.repeating;
  result.spinning -= yielding;
  if (result.starved.empty()) {
    result.kind = result.round != 0 ? Kind::livelock : Kind::long_execution;
  } else if (result.spinning.empty()) {
    result.kind = Kind::unfair;
  } else {
    result.kind = result.round != 0 ? Kind::spin : Kind::long_execution;
  }
  return result;
}

LastSteps::Diagnosis LastSteps::diagnose() const {
  const std::size_t size = steps_.size();
  Diagnosis result = diagnose(0, size);
  // A thread that was starved until shortly before the end may have had its turn after all.
  const bool was_unfair =
      result.kind == Kind::long_execution &&
      (diagnose(0, size / 2).kind == Kind::unfair || diagnose(size / 2, size).kind == Kind::unfair);
  if (was_unfair) result.kind = Kind::unfair;
  const auto somebody_does = [this](Operation operation) {
    return std::any_of(
        steps_.begin(), steps_.end(), [&](const Step& step) { return step.operation == operation; });
  };
  result.somebody_sleeps = somebody_does(Operation::thread_sleep);
  result.somebody_looks_at_clock = somebody_does(Operation::clock_now);
  result.time_passes = size != 0 && steps_.front().now != steps_.back().now;
  return result;
}

// Whatever the operations find: a loop may count its rounds. The round is the shortest one in which the same
// code calls them. Where a loop takes different ways through its body there is none, and as many steps as it
// has operations are taken for one.
RetryLoops LastSteps::retry_loop(std::size_t begin, std::size_t end) const {
  constexpr std::size_t kMostOperations = 64;
  const std::span<const Step> steps = std::span(steps_).subspan(begin, end - begin);
  std::vector<const void*> callers;
  ThreadSet starved;
  for (const Step& step : steps) {
    if (step.caller == nullptr || step.yields() || step.thread != steps.front().thread) return {};
    starved |= step.able;
    callers.push_back(step.caller);
  }
  if (!callers.empty()) starved.erase(steps.front().thread);
  if (starved.empty()) return {};
  RetryLoops loop;
  for (const Step& step : steps) loop.emplace(step.caller, RetryStep{nullptr, 0, step.operation, step.where});
  if (loop.size() > kMostOperations) return {};
  const auto repeats = [&callers](std::size_t round) {
    return std::equal(callers.begin() + static_cast<std::ptrdiff_t>(round), callers.end(), callers.begin());
  };
  std::size_t round = 1;
  while (2 * round < callers.size() && !repeats(round)) ++round;
  if (2 * round >= callers.size()) round = loop.size();
  for (auto& [caller, step] : loop) {
    step.loop = loop.begin()->first;
    step.round = static_cast<std::uint32_t>(round);
  }
  return loop;
}

// Another thread may have had its turn just before the limit.
RetryLoops LastSteps::retry_loop() const {
  const std::size_t size = steps_.size();
  RetryLoops loop = retry_loop(0, size);
  if (loop.empty()) loop = retry_loop(0, size / 2);
  if (loop.empty()) loop = retry_loop(size / 2, size);
  return loop;
}

}  // namespace hocket::runtime
