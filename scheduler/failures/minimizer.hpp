// Looks for a schedule that fails in the same way and is easier to understand.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "../../runtime/terms/failure.hpp"
#include "../replays/exploration.hpp"
#include "../replays/plan.hpp"

namespace hocket {

/// A schedule that fails, and what is known of it.
struct Minimum {
  std::vector<std::uint16_t> codes;
  runtime::ClassHash hash;
  Effort effort;
  /// Every schedule with fewer preemptions than this was run, and none failed in this way.
  std::uint64_t known_least = 0;
};

/// How long minimizing may take, and what it may rely on.
struct MinimizeBudget {
  std::chrono::steady_clock::time_point deadline;
  /// Every schedule with fewer preemptions than this is known not to fail in this way.
  std::uint64_t known_least = 0;
};

/// Changes the schedule `codes`, under which the body of `exploration` fails with the kind and the signature
/// of `failure`, for as long as it fails in the same way with less Effort: takes back preemptions, first many
/// at once and then one by one, leaves out turns, and makes values smaller; then it searches the bounds
/// below. Every schedule that it returns was run and failed. Returns nothing if `codes` fail no longer, or
/// time is up before they were run.
std::optional<Minimum> minimize(const Exploration& exploration, const runtime::ExecutionOptions& options,
    const runtime::Failure& failure, const std::vector<std::uint16_t>& codes, const MinimizeBudget& budget);

}  // namespace hocket
