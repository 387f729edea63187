// Recognises early that a search runs into an unfair execution, one that does not end because threads that
// yield or sleep in vain starve others.
//
// Where all threads that can run yield in vain, one more idle round costs nothing, and neither does the
// expiry of a wait. So a search may run an execution with one idle round, one with two, and so on, until one
// of them reaches the step limit: as many executions as there are steps, each longer than the one before.
// Where an execution shows such rounds, this runs one more, which takes idle turns from there on for as long
// as it can. If it ends, nothing is known, and it does not count. If it reaches the step limit it is an
// unfair execution like any other, which the search would have come to: whatever ends by itself is never
// called unfair.
#pragma once

#include <cstdint>

#include "../../runtime/execution/execution_result.hpp"
#include "../replays/exploration.hpp"

namespace hocket {

class IdleTurns {
 public:
  /// Whether the execution that has just ended with `result` goes on for ever if idle turns are taken. Runs
  /// an execution if it may be so, after which `result` has no log.
  [[nodiscard]] bool never_end(const Exploration& exploration, const runtime::ExecutionResult& result) {
    if (result.log.size < next_length_) [[likely]]
      return false;
    return never_end_after(exploration, result);
  }

 private:
  static constexpr std::uint32_t kLength = 100;  ///< of the first execution that is examined

  bool never_end_after(const Exploration& exploration, const runtime::ExecutionResult& result);

  std::uint32_t next_length_ = kLength;
};

}  // namespace hocket
