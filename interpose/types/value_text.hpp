// Turns values into the text that a recorded schedule shows.
#pragma once

#include <string>
#include <type_traits>

namespace hocket::detail {

/// Shows a number as a number and a pointer only as null or not null, because addresses change from run to
/// run. A value of any other type is shown as "…".
template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_pointer_v<T>) {
    return value == nullptr ? "null" : "a pointer";
  } else {
    return "…";
  }
}

}  // namespace hocket::detail
