// Depth-first search with sleep sets. It is complete when it ends, unless the body uses no_preemption guards.
#include "sleep_sets.hpp"

namespace hocket {

std::unique_ptr<Strategy> make_dfs_sleep(const Options& options) {
  return std::make_unique<FrontierSearch<SleepRules<false>>>(
      unbounded, SleepRules<false>(options.spurious_wakeups));
}

}  // namespace hocket
