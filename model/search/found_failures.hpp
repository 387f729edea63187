// The failures that a breadth-first search has come to and has not reported yet.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../api/report.hpp"
#include "../states/fingerprint.hpp"

namespace hocket::model {

/// The failure of a state, or of one of its steps. The order is that in which failures are reported. It
/// depends on the model only, and not on the path by which the search came there first.
struct FoundFailure {
  unsigned preemptions;
  std::uint32_t length;  ///< steps of the path
  ViolationKind kind;
  Fingerprint state;
  std::uint32_t choice;  ///< which step of the state, or 0
  const void*
      record;  ///< the state's: two states may have one fingerprint if the model has a hash() of its own
  std::uint64_t link;  ///< the end of the path

  friend bool operator<(const FoundFailure& a, const FoundFailure& b);
  /// Whether it is the same failure, perhaps by another path.
  [[nodiscard]] bool is_same_as(const FoundFailure& other) const;
};

/// Keeps as many of the least failures as may be reported.
class FoundFailures {
 public:
  void add(const FoundFailure& failure);
  [[nodiscard]] bool has_any() const { return !waiting_.empty(); }
  /// Removes those that need at most so many preemptions and steps, in order, without those that were taken
  /// before.
  std::vector<FoundFailure> take(unsigned preemptions, std::uint32_t length);

 private:
  std::vector<FoundFailure> waiting_;  ///< sorted
  std::vector<FoundFailure> taken_;
};

/// The indexes of `depths` from the greatest depth to the least; those of equal ones keep their order.
std::vector<std::size_t> deepest_first(const std::vector<std::uint32_t>& depths);

}  // namespace hocket::model
