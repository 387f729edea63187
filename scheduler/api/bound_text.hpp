// The bounds of a search: what they count, in words, which it has covered, and what is said of one that is
// not finished.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "number_text.hpp"
#include "report.hpp"

namespace hocket {

/// Report::bound_unit of a search under the C++ memory model.
inline constexpr std::string_view kPreemptionsAndStaleReads = "preemption or stale read";

/// "preemptions", "preemptions and stale reads".
inline std::string plural_of_unit(std::string_view unit) {
  return unit == kPreemptionsAndStaleReads ? "preemptions and stale reads" : std::string(unit) + "s";
}

/// "1 preemption", "2 preemptions and stale reads".
inline std::string count_of_units(std::uint64_t count, std::string_view unit) {
  return number_text(count) + " " + (count == 1 ? std::string(unit) : plural_of_unit(unit));
}

/// How many bounds, from 0 on, the search has covered.
inline std::size_t completed_bounds(const Report& report) {
  const auto is_complete = [](const BoundReport& bound) { return bound.complete; };
  return static_cast<std::size_t>(
      std::find_if_not(report.bounds.begin(), report.bounds.end(), is_complete) - report.bounds.begin());
}

/// For the status line: "34 % done, 3 min to 9 min left".
std::string estimate_text(const BoundEstimate& estimate);

/// For the report of a search that was stopped, a line or two: how far it got, and what helps.
std::string unfinished_bound_text(const Report& report);

}  // namespace hocket
