// Depth-first search with sleep sets. Complete when it comes to its end, unless the body holds no_preemption.
#include "sleep_sets.hpp"

namespace hocket {

std::unique_ptr<Strategy> make_dfs_sleep(const Options& options) {
  return std::make_unique<FrontierSearch<SleepRules<false>>>(
      unbounded, SleepRules<false>(options.spurious_wakeups));
}

}  // namespace hocket
