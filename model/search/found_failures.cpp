#include "found_failures.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hocket::model {

namespace {

// At most kMostViolations are reported. Some of those that wait may turn out to be reported already, with
// fewer preemptions; these are less than kMostViolations, too, because otherwise the search has ended.
constexpr std::size_t kMostWaiting = 2 * kMostViolations;

auto place(const FoundFailure& failure) {
  return std::tuple(failure.preemptions, failure.length, failure.kind, failure.state.high, failure.state.low,
      failure.choice);
}

}  // namespace

bool operator<(const FoundFailure& a, const FoundFailure& b) {
  return place(a) < place(b);
}

bool FoundFailure::is_same_as(const FoundFailure& other) const {
  return kind == other.kind && record == other.record && choice == other.choice;
}

void FoundFailures::add(const FoundFailure& failure) {
  const auto is_same = [&](const FoundFailure& other) { return failure.is_same_as(other); };
  if (const auto known = std::ranges::find_if(waiting_, is_same); known != waiting_.end()) {
    if (!(failure < *known)) return;
    waiting_.erase(known);
  }
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), failure), failure);
  if (waiting_.size() > kMostWaiting) waiting_.pop_back();
}

std::vector<FoundFailure> FoundFailures::take(unsigned preemptions, std::uint32_t length) {
  std::vector<FoundFailure> result;
  std::erase_if(waiting_, [&](const FoundFailure& failure) {
    if (failure.preemptions > preemptions || failure.length > length) return false;
    const auto is_same = [&](const FoundFailure& other) { return failure.is_same_as(other); };
    if (std::ranges::none_of(taken_, is_same)) {
      taken_.push_back(failure);
      result.push_back(failure);
    }
    return true;
  });
  return result;
}

std::vector<std::size_t> deepest_first(const std::vector<std::uint32_t>& depths) {
  std::vector<std::size_t> order(depths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depths[a] > depths[b]; });
  return order;
}

}  // namespace hocket::model
