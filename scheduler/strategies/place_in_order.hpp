// The order in which a search with a frontier runs its executions, as their deviations tell it. Processes
// that search parts of it find out by that which of them would have been the first to find a failure.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace hocket {

/// A deviation from the default schedule, where an execution branches off from another.
struct Branching {
  std::uint32_t position;
  std::uint32_t nth;  ///< of those that branch off there
  unsigned bound;     ///< the price of the execution that branches off
  friend bool operator==(const Branching&, const Branching&) = default;
};

/// Of one execution, the deviations from first to last.
using PlaceInOrder = std::vector<Branching>;

/// Whether a search that takes the cheapest execution first, and of equally cheap ones that which was found
/// last, runs the one before the other.
bool comes_before(std::span<const Branching> one, std::span<const Branching> other);

}  // namespace hocket
