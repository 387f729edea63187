// Searches within the limits of a request, and how their numbers are printed when a limit has stopped them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "scheduler/api/report.hpp"

namespace tables {

/// A number, or a lower bound of a number that is not known exactly.
struct Count {
  std::uint64_t number = 0;
  bool is_complete = true;
};
std::string to_text(Count count);  ///< "1 234", or "> 1 234"

/// Searches `body` up to `max_bound` and stops after `seconds`. Neither saves schedules nor replays saved
/// ones. Throws std::runtime_error if Ctrl-C ended the search or the body is not deterministic.
hocket::Report search(
    const std::string& strategy, unsigned max_bound, double seconds, const std::function<void()>& body);

/// The same for a correct program. Throws std::runtime_error when it fails.
hocket::Report search_correct(
    const std::string& strategy, unsigned max_bound, double seconds, const std::function<void()>& body);

/// The number of executions with at most `bound` preemptions, or of classes within that bound. `bound` must
/// not exceed the last bound of the search.
Count executions_within(const hocket::Report& report, unsigned bound);

/// Tells whether a number of seconds has passed.
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

/// The CPU time of this process. Unlike wall time, it does not depend on other load on the machine.
double cpu_seconds();

}  // namespace tables
