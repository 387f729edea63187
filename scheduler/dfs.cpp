// Depth-first search: always the deepest choice point that has something left. Complete when it comes to its
// end.
#include <hocket/scheduler/frontier_search.hpp>

namespace hocket {

namespace {
struct NoBound {
  static constexpr bool counts = false;
};
}  // namespace

std::unique_ptr<Strategy> make_dfs(const Options& /*options*/) {
  return std::make_unique<FrontierSearch<NoBound>>(0);
}

}  // namespace hocket
