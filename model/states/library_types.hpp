// Which types of a state are the standard library's, so that their elements are all there is to know of them.
// A type of one's own that looks like one of these may have further members.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace hocket::model {

namespace detail {

template <typename T>
inline constexpr bool is_sequence = false;
template <typename T, std::size_t size>
inline constexpr bool is_sequence<T[size]> = true;
template <typename T, std::size_t size>
inline constexpr bool is_sequence<std::array<T, size>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::vector<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::deque<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::list<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::forward_list<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::basic_string<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::basic_string_view<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::set<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::multiset<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::map<T...>> = true;
template <typename... T>
inline constexpr bool is_sequence<std::multimap<T...>> = true;

template <typename T>
inline constexpr bool is_unordered = false;
template <typename... T>
inline constexpr bool is_unordered<std::unordered_set<T...>> = true;
template <typename... T>
inline constexpr bool is_unordered<std::unordered_multiset<T...>> = true;
template <typename... T>
inline constexpr bool is_unordered<std::unordered_map<T...>> = true;
template <typename... T>
inline constexpr bool is_unordered<std::unordered_multimap<T...>> = true;

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <typename T>
inline constexpr bool is_tuple = false;
template <typename... T>
inline constexpr bool is_tuple<std::pair<T...>> = true;
template <typename... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <typename T>
inline constexpr bool is_variant = false;
template <typename... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

}  // namespace detail

/// Its elements have an order: an array, or a container of the standard library.
template <typename T>
concept LibrarySequence = detail::is_sequence<T>;
/// Equal ones may have their elements in different orders.
template <typename T>
concept UnorderedLibraryContainer = detail::is_unordered<T>;
template <typename T>
concept LibraryOptional = detail::is_optional<T>;
/// A std::pair or a std::tuple.
template <typename T>
concept LibraryTuple = detail::is_tuple<T>;
template <typename T>
concept LibraryVariant = detail::is_variant<T>;

}  // namespace hocket::model
