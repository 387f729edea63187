#include "lives.hpp"

#include <algorithm>

namespace hocket::tool {

namespace {

using Numbers = std::vector<std::size_t>;  ///< of the steps of a thread

/// The last step that is one of the first `count` of all; 0: there is none.
std::size_t last_among(const Numbers& steps, std::size_t count) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), count);
  return after == steps.begin() ? 0 : *std::prev(after);
}

/// The first step that is not one of the first `count` of all; 0: there is none.
std::size_t first_behind(const Numbers& steps, std::size_t count) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), count);
  return after == steps.end() ? 0 : *after;
}

}  // namespace

std::vector<LifeEdge> life_edges(const nlohmann::ordered_json& document) {
  std::vector<Numbers> of_thread(document["threads"].size());
  for (const auto& step : document["steps"]) {
    if (step.contains("left_out")) continue;
    of_thread[step["thread"].get<std::size_t>()].push_back(step["step"]);
  }
  std::vector<LifeEdge> edges;
  const auto add = [&](std::size_t from, std::size_t to, const char* why) {
    if (from != 0 && to > from) edges.push_back({from, to, why});
  };
  for (std::size_t n = 0; n < of_thread.size(); ++n) {
    const auto& thread = document["threads"][n];
    const Numbers& own = of_thread[n];
    if (own.empty()) continue;
    if (thread.contains("creator"))
      add(last_among(of_thread[thread["creator"].get<std::size_t>()], thread["made_after"]), own.front(),
          "creates");
    if (thread.contains("joiner"))
      add(own.back(), first_behind(of_thread[thread["joiner"].get<std::size_t>()], thread["joined_after"]),
          "joins");
  }
  std::sort(edges.begin(), edges.end(), [](const LifeEdge& a, const LifeEdge& b) { return a.to < b.to; });
  return edges;
}

}  // namespace hocket::tool
