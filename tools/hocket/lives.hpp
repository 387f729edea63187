// Which steps are ordered because a thread is created or joined.
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

namespace hocket::tool {

/// Step `to` comes after step `from`; both are numbers of steps.
struct LifeEdge {
  std::size_t from;
  std::size_t to;
  const char* why;  ///< "creates" or "joins"
};

/// From the last step of the creator before a thread is created to the thread's first one, and from its last
/// one to the next one of the thread that joins it, as far as there are such steps. In the order of `to`.
std::vector<LifeEdge> life_edges(const nlohmann::ordered_json& document);

}  // namespace hocket::tool
