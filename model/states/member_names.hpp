// The names of the members of an aggregate, as far as the compiler tells them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "members.hpp"

namespace hocket::model {

namespace detail {

/// An object of which only the addresses of its members are asked. It is defined nowhere.
template <typename T>
struct Imagined {
  T value;
};
template <typename T>
extern const Imagined<T> imagined;

/// The addresses of the members as a tuple, or an empty one if a member has none, as a bit-field.
template <HasMembers T>
constexpr auto member_addresses() {
#if defined(HOCKET_KNOWS_MEMBERS) && !defined(__clang__)
  constexpr std::size_t kCount = member_count<T>();
#define HOCKET_ADDRESS(z, n, unused) BOOST_PP_COMMA_IF(n) & member##n
#define HOCKET_ADDRESSES(z, n, unused)                                                              \
  if constexpr (kCount == BOOST_PP_INC(n)) {                                                        \
    const auto& [BOOST_PP_ENUM_PARAMS_Z(z, BOOST_PP_INC(n), member)] = imagined<T>.value;           \
    if constexpr (requires { std::tuple(BOOST_PP_REPEAT_##z(BOOST_PP_INC(n), HOCKET_ADDRESS, )); }) \
      return std::tuple(BOOST_PP_REPEAT_##z(BOOST_PP_INC(n), HOCKET_ADDRESS, ));                    \
    else                                                                                            \
      return std::tuple();                                                                          \
  } else
  BOOST_PP_REPEAT(64, HOCKET_ADDRESSES, ) return std::tuple();
#undef HOCKET_ADDRESSES
#undef HOCKET_ADDRESS
#else
  return std::tuple();  // Clang 14 takes no address of such an object as an argument of a template
#endif
}

/// GCC calls the function "… [with const auto* Member = (& imagined<Lock>.…::value.Lock::is_taken); …]".
template <const auto* Member>
constexpr std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind(");"));
  return text.substr(text.find_last_of(":.") + 1);
}

}  // namespace detail

/// The names in the order in which the members are declared; empty if they are not known.
template <HasMembers T>
std::vector<std::string> member_names() {
  constexpr std::size_t kCount = std::tuple_size_v<decltype(detail::member_addresses<T>())>;
  return []<std::size_t... n>(std::index_sequence<n...>) {
    return std::vector<std::string>{
        std::string(detail::member_name<std::get<n>(detail::member_addresses<T>())>())...};
  }
  (std::make_index_sequence<kCount>());
}

}  // namespace hocket::model
