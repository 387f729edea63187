// Counts and lists as English writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hocket::runtime {

/// "step" for 1, otherwise "steps"; "class" and "classes", "search" and "searches".
inline std::string noun_for(std::uint64_t count, std::string_view singular) {
  const bool takes_es = singular.ends_with("s") || singular.ends_with("ch");
  return std::string(singular) + (count == 1 ? "" : takes_es ? "es" : "s");
}

/// "1 step", "2 steps".
inline std::string count_of(std::uint64_t count, std::string_view singular) {
  return std::to_string(count) + " " + noun_for(count, singular);
}

/// What stands before the n-th (from 0) of `count` things in a list: "a, b and c".
constexpr std::string_view before_item(std::size_t n, std::size_t count) {
  return n == 0 ? "" : n + 1 == count ? " and " : ", ";
}

/// "a, b and c": strings of any kind, in a container that knows its size.
template <class Names>
std::string listed(const Names& names) {
  std::string text;
  std::size_t n = 0;
  for (const auto& name : names) {
    text += before_item(n++, names.size());
    text += name;
  }
  return text;
}

/// "a, b, c, …": the first three of a list.
template <class Names>
std::string first_of(const Names& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  std::size_t n = 0;
  for (const auto& name : names) {
    if (n == kShown) return text + ", …";
    text += n++ == 0 ? "" : ", ";
    text += name;
  }
  return text;
}

}  // namespace hocket::runtime
