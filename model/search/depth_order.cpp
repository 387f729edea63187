#include "depth_order.hpp"

#include <algorithm>
#include <numeric>

namespace hocket::model {

std::vector<std::size_t> deepest_first(const std::vector<std::uint32_t>& depths) {
  std::vector<std::size_t> order(depths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depths[a] > depths[b]; });
  return order;
}

}  // namespace hocket::model
