// The members of an aggregate, one after the other, without knowing their names.
#pragma once

#include <cstddef>
#include <type_traits>

#if __has_include(<boost/preprocessor/repetition.hpp>)
#include <boost/preprocessor/arithmetic/inc.hpp>
#include <boost/preprocessor/repetition.hpp>
#define HOCKET_KNOWS_MEMBERS
#endif

namespace hocket::model {

/// The most members that a type may have whose members are to be visited.
inline constexpr std::size_t kMostMembers = 64;

namespace detail {

/// Can be taken for any base class of T, and for nothing else.
template <typename T>
struct SomeBase {
  template <typename Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const;
};

/// Base classes hide members: those of a base are initialised and bound in another way than the type's own.
template <typename T>
concept HasBase = requires {
  T{SomeBase<T>{}};
};

/// How many members T has, or more than kMostMembers, if that is unknown, too. Each member is initialised by
/// a pair of braces of its own, since without them the elements of an array would count as members.
template <typename T>
consteval std::size_t member_count() {
#if defined(HOCKET_KNOWS_MEMBERS)
#define HOCKET_BRACES(z, n, unused) \
  {}
#define HOCKET_HAS_NO_MORE_THAN(z, n, unused)                                            \
  if constexpr (!requires { T{BOOST_PP_ENUM_##z(BOOST_PP_INC(n), HOCKET_BRACES, )}; }) { \
    return n;                                                                            \
  } else
  BOOST_PP_REPEAT(65, HOCKET_HAS_NO_MORE_THAN, )
#undef HOCKET_HAS_NO_MORE_THAN
#undef HOCKET_BRACES
#endif
  return kMostMembers + 1;
}

}  // namespace detail

/// An aggregate whose members for_each_member() can visit.
template <typename T>
concept HasMembers = std::is_aggregate_v<T> && !std::is_union_v<T> && !std::is_array_v<T> &&
                     !detail::HasBase<T> && detail::member_count<T>() <= kMostMembers;

/// Calls `visit` with each member of `value`, in the order in which they are declared.
template <HasMembers T, typename Visit>
void for_each_member(const T& value, Visit visit) {
#if defined(HOCKET_KNOWS_MEMBERS)
  constexpr std::size_t count = detail::member_count<T>();
  [[maybe_unused]] const auto visit_all = [&visit](const auto&... members) { (visit(members), ...); };
#define HOCKET_VISIT(z, n, unused)                                            \
  if constexpr (count == BOOST_PP_INC(n)) {                                   \
    const auto& [BOOST_PP_ENUM_PARAMS_Z(z, BOOST_PP_INC(n), member)] = value; \
    visit_all(BOOST_PP_ENUM_PARAMS_Z(z, BOOST_PP_INC(n), member));            \
  } else
  BOOST_PP_REPEAT(64, HOCKET_VISIT, ) static_cast<void>(value);
#undef HOCKET_VISIT
#endif
}

}  // namespace hocket::model
