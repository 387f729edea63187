// Virtual times, as messages and schedules print them.
#pragma once

#include <cstdint>
#include <string>

namespace hocket::runtime {

/// A time since the beginning of the execution: "0 s", "1.5 ms", "90 s". Exact: it has as many digits as it
/// needs.
std::string time_text(std::int64_t nanoseconds);

}  // namespace hocket::runtime
