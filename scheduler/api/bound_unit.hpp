// What the bounds of a search count, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "number_text.hpp"

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

}  // namespace hocket
