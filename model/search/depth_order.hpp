// An order of states by the steps that lead to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::model {

/// The indexes of `depths` from the greatest depth to the least; those of equal ones keep their order.
std::vector<std::size_t> deepest_first(const std::vector<std::uint32_t>& depths);

}  // namespace hocket::model
