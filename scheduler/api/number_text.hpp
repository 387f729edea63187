// Numbers formatted for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hocket {

/// A duration: "350 ms", "12 s", "3 min", "2.5 h".
std::string duration_text(double seconds);

/// A number: "12 345 678".
std::string number_text(std::uint64_t number);

/// "1 step", "2 400 steps"; "2 classes".
std::string count_text(std::uint64_t count, std::string_view singular);

/// "after 5 executions", "in the first execution": when a failure was found that came after so many others.
std::string after_executions(std::uint64_t count);

}  // namespace hocket
