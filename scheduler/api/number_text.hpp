// Numbers formatted for people.
#pragma once

#include <cstdint>
#include <string>

namespace hocket {

/// A duration: "350 ms", "12 s", "3 min", "2.5 h".
std::string duration_text(double seconds);

/// A number: "12 345 678".
std::string number_text(std::uint64_t number);

}  // namespace hocket
