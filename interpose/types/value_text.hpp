// Values as a recorded schedule shows them.
#pragma once

#include <string>
#include <type_traits>

namespace hocket::detail {

/// Numbers as numbers, pointers only as null or not (addresses change from run to run), other types as "…".
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
