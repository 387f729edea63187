// Loops that retry (see Retries), and the yields that threads made because of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "operation.hpp"
#include "where.hpp"

namespace hocket::runtime {

/// An operation of a loop that retries.
struct RetryStep {
  const void* loop = nullptr;  ///< the code that calls one of its loop's operations, the same for all of them
  std::uint32_t round = 0;     ///< number of steps in a round of its loop
  Operation operation = Operation::none;
  Where where;  ///< its place, if the operation says it
};
/// By the code that calls the operations.
using RetryLoops = std::map<const void*, RetryStep>;

/// Loops that have an operation in common, as an inner and an outer one, become one.
inline void add_loops(RetryLoops& all, const RetryLoops& found) {
  for (const auto& [caller, step] : found) {
    const auto [known, is_new] = all.emplace(caller, step);
    const void* const before = known->second.loop;
    if (is_new || before == step.loop) continue;
    for (auto& [other_caller, other] : all) {
      if (other.loop == before) other.loop = step.loop;
    }
  }
}

/// What a step is a part of if the thread yields because of a loop that retries.
inline constexpr std::string_view kGivesWay = "gives way";

/// The yields of a recorded execution: by thread, the positions of its steps, and whether the step is one.
class RecordedGivingWay {
 public:
  /// The next step of an execution, in their order. `position` counts choices of values, too.
  void add(unsigned thread, std::uint32_t position, bool gives_way) {
    if (steps_.size() <= thread) steps_.resize(thread + std::size_t{1});
    steps_[thread].emplace_back(position, gives_way);
    is_any_ |= gives_way;
  }
  [[nodiscard]] bool is_any() const { return is_any_; }
  /// Whether the thread's first step from the position on is one.
  [[nodiscard]] bool gives_way(unsigned thread, std::uint32_t position) const {
    if (thread >= steps_.size()) return false;
    const auto& steps = steps_[thread];
    const auto next = std::lower_bound(steps.begin(), steps.end(), std::pair{position, false});
    return next != steps.end() && next->second;
  }

 private:
  std::vector<std::vector<std::pair<std::uint32_t, bool>>> steps_;
  bool is_any_ = false;
};

}  // namespace hocket::runtime
