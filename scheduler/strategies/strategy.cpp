#include "strategy.hpp"

#include <array>
#include <stdexcept>

namespace hocket {

std::span<const StrategyInfo> strategies() {
  static constexpr std::array<StrategyInfo, 11> kAll{{
      {"icb", "fewest preemptions first, every schedule once", make_icb},
      {"hb-cache", "icb, cut short at states it has been in before", make_hb_cache},
      {"hb-bitstate", "hb-cache with a few bits for a state: may miss classes", make_hb_bitstate},
      {"cb-por", "fewest preemptions first, every happens-before class once", make_cb_por},
      {"cb-por-basic", "fewest preemptions first, every state once", make_cb_por_basic},
      {"delay", "fewest delays first", make_delay},
      {"dfs", "depth first, every schedule once", make_dfs},
      {"dfs-sleep", "depth first with sleep sets", make_dfs_sleep},
      {"idfs", "fewest choices before the last deviation first", make_idfs},
      {"random", "at every point any thread with the same probability", make_random},
      {"pct", "random priorities with a few changes", make_pct},
  }};
  return kAll;
}

std::string names_of_strategies() {
  std::string names;
  for (const StrategyInfo& about : strategies()) {
    if (!names.empty()) names += about.name == strategies().back().name ? " and " : ", ";
    names += about.name;
  }
  return names;
}

std::unique_ptr<Strategy> make_strategy(const Options& options) {
  for (const StrategyInfo& about : strategies()) {
    if (about.name == options.strategy) return about.make(options);
  }
  throw std::invalid_argument(
      "hocket: there is no strategy \"" + options.strategy + "\"; there are " + names_of_strategies());
}

}  // namespace hocket
