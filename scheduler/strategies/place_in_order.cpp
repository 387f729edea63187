#include "place_in_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hocket {

namespace {

using Place = std::span<const Branching>;

unsigned bound_of(Place place) {
  return place.empty() ? 0 : place.back().bound;
}

/// What the first execution of this price branches off from, of those from which it comes. Empty: nothing
/// cheaper.
Place cheaper_parent(Place place) {
  const unsigned bound = bound_of(place);
  while (!place.empty() && bound_of(place) == bound) place = place.first(place.size() - 1);
  return place;
}

}  // namespace

bool comes_before(Place one, Place other) {
  if (bound_of(one) != bound_of(other)) return bound_of(one) < bound_of(other);
  const auto [at_one, at_other] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (at_one == one.end() || at_other == other.end()) return one.size() < other.size();
  // Both branch off from this one. A stack gives back first what was put there last.
  const auto common = static_cast<std::size_t>(at_one - one.begin());
  const bool is_found_later =
      std::pair(at_one->position, at_one->nth) > std::pair(at_other->position, at_other->nth);
  if (bound_of(one.first(common)) == bound_of(one)) return is_found_later;
  // They come from different executions that were put on the stack of their price, each when the cheaper one
  // had been run from which it branches off.
  const Place from_one = cheaper_parent(one);
  const Place from_other = cheaper_parent(other);
  if (std::equal(from_one.begin(), from_one.end(), from_other.begin(), from_other.end()))
    return is_found_later;
  return comes_before(from_other, from_one);
}

}  // namespace hocket
