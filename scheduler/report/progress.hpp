// What the status line says about a search through schedules.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "../api/report.hpp"
#include "../process/status_line.hpp"
#include "../strategies/strategy.hpp"

namespace hocket {

class Progress {
 public:
  [[nodiscard]] bool is_on_terminal() const { return line_.is_on_terminal(); }

  /// Shows the progress of the search, if the line was last updated a while ago.
  void tick(const Report& report, const Strategy& strategy, const std::optional<BoundEstimate>& estimate,
      std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point now);
  /// The same for a search by several processes, which have run so many executions.
  void tick(const std::string& test, unsigned jobs, std::uint64_t executions,
      std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point now);
  /// Says that all executions with `bound` preemptions were run, and what the next bound may cost.
  void bound_done(const Report& report, unsigned bound, std::uint64_t pending, double seconds);
  /// Removes the line.
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
};

/// Estimates the number of executions that bound + 1 needs, from the pending items and the growth from one
/// bound to the next so far.
double estimate_next(const Report& report, unsigned bound, std::uint64_t pending_at_next);

}  // namespace hocket
