// What is said of a bound that is not finished.
#pragma once

#include <string>

#include "report.hpp"

namespace hocket {

/// For the status line: "34 % done, 3 min to 9 min left".
std::string estimate_text(const BoundEstimate& estimate);

/// For the report of a search that was stopped, a line or two: how far it got, and what helps.
std::string unfinished_bound_text(const Report& report);

}  // namespace hocket
