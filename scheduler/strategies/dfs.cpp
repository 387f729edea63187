// Depth-first search over all schedules, deepest branch first. It is complete when it ends.
#include "frontier_search.hpp"

namespace hocket {

std::unique_ptr<Strategy> make_dfs(const Options& options) {
  return std::make_unique<FrontierSearch<FrontierRules>>(unbounded, FrontierRules{}, options.shard);
}

}  // namespace hocket
