// Turns values into the text that a recorded schedule shows.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "../../runtime/diagnosis/values.hpp"

namespace hocket::detail {

/// Shows a pointer by what it points to, an enumeration by its enumerator, and a value of a class as "…".
/// `object` has the value; nullptr stands for that of the current thread's last step. Only while recording.
template <class T>
std::string value_text(const T& value, const runtime::Object* object = nullptr) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return runtime::enumerator_text(static_cast<std::int64_t>(value), object);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(std::int64_t)) {
    using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return runtime::number_text(static_cast<Widest>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>>) {
    return runtime::pointer_text(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    return value == nullptr ? "null" : "a pointer";
  } else {
    return "…";
  }
}

}  // namespace hocket::detail
