// A state as text, for models that have no print().
#pragma once

#include <ranges>
#include <string>
#include <type_traits>

#include "fingerprint.hpp"

namespace hocket::model {

/// A value of any type whose parts can be reached, as in "{1, [0, 2], true}".
template <typename T>
std::string state_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string>) {
    return '"' + std::string(value) + '"';
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? state_text(*value) : "none";
  } else if constexpr (std::ranges::range<const T>) {
    std::string text = "[";
    for (const auto& element : value) {
      if (text.size() > 1) text += ", ";
      text += state_text(element);
    }
    return text + "]";
  } else if constexpr (requires {
                         value.first;
                         value.second;
                       }) {
    return "{" + state_text(value.first) + ", " + state_text(value.second) + "}";
#if defined(HOCKET_HAS_PFR)
  } else if constexpr (std::is_aggregate_v<T>) {
    std::string text = "{";
    boost::pfr::for_each_field(value, [&text](const auto& field) {
      if (text.size() > 1) text += ", ";
      text += state_text(field);
    });
    return text + "}";
#endif
  } else {
    return "?";
  }
}

}  // namespace hocket::model
