// A state as text, for models that have no print().
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "library_types.hpp"
#include "members.hpp"

namespace hocket::model {

inline std::string enclosed(const std::vector<std::string>& parts, char begin, char end) {
  std::string text(1, begin);
  for (const std::string& part : parts) {
    if (text.size() > 1) text += ", ";
    text += part;
  }
  return text + end;
}

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
  } else if constexpr (LibraryOptional<T>) {
    return value.has_value() ? state_text(*value) : "none";
  } else if constexpr (UnorderedLibraryContainer<T>) {
    std::vector<std::string> elements;
    for (const auto& element : value) elements.push_back(state_text(element));
    std::ranges::sort(elements);
    return enclosed(elements, '[', ']');
  } else if constexpr (LibraryTuple<T>) {
    return std::apply(
        [](const auto&... elements) { return enclosed({state_text(elements)...}, '{', '}'); }, value);
  } else if constexpr (LibraryVariant<T>) {
    return value.valueless_by_exception()
               ? "none"
               : std::visit([](const auto& alternative) { return state_text(alternative); }, value);
  } else if constexpr (HasMembers<T> && !LibrarySequence<T>) {
    std::vector<std::string> members;
    for_each_member(value, [&members](const auto& member) { members.push_back(state_text(member)); });
    return enclosed(members, '{', '}');
  } else if constexpr (std::ranges::range<const T>) {
    std::vector<std::string> elements;
    for (const auto& element : value) elements.push_back(state_text(element));
    return enclosed(elements, '[', ']');
  } else {
    return "?";
  }
}

}  // namespace hocket::model
