// Searches within the limits of a request, and how their numbers are printed when a limit has stopped them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "scheduler/api/report.hpp"

namespace tables {

/// A number of which no more is known than that it is greater.
struct Count {
  std::uint64_t number = 0;
  bool is_complete = true;
};
std::string to_text(Count count);  ///< "1 234", or "> 1 234"

/// Searches `body` to `max_bound` and stops after `seconds`. Saves no schedules and tries none. Throws
/// std::runtime_error when Ctrl-C has ended it or the body is not deterministic.
hocket::Report search(
    const std::string& strategy, unsigned max_bound, double seconds, const std::function<void()>& body);

/// The same for a correct program. Throws std::runtime_error when it fails.
hocket::Report search_correct(
    const std::string& strategy, unsigned max_bound, double seconds, const std::function<void()>& body);

/// Executions with at most `bound` preemptions, or of classes with at most that bound; `bound` is not beyond
/// the last one that was asked for.
Count executions_within(const hocket::Report& report, unsigned bound);

/// Tells when the seconds are over.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  [[nodiscard]] bool is_over() const { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

/// Of this process: unlike wall time it says the same on a machine that has more to do.
double cpu_seconds();

}  // namespace tables
