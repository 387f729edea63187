#include "options.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <spdlog/fmt/fmt.h>

namespace hocket::model {

namespace {

constexpr std::array<std::string_view, 7> kStrategies{"bfs", "dfs", "icb", "bcs", "depth", "random", "swarm"};

[[noreturn]] void refuse(const std::string& sentence) {
  throw std::invalid_argument("hocket: " + sentence);
}

}  // namespace

void check(const Options& options) {
  const std::string& strategy = options.strategy;
  if (std::find(kStrategies.begin(), kStrategies.end(), strategy) == kStrategies.end()) {
    refuse(fmt::format(
        "there is no strategy \"{}\" for models; there are {}", strategy, fmt::join(kStrategies, ", ")));
  }
  const auto is_one_of = [&](auto... names) { return ((strategy == names) || ...); };
  if (options.max_preemptions != unbounded && !is_one_of("icb", "bcs"))
    refuse("max_preemptions is for the strategies icb and bcs, and the strategy is " + strategy);
  if (options.max_depth != 0 && is_one_of("dfs", "swarm", "icb"))
    refuse("max_depth would make " + strategy + " miss states within the depth; use depth or bfs");
  if (options.max_depth != 0 && strategy == "bcs" && (options.reduce || options.free_cycles))
    refuse("with reduce or free_cycles, max_depth would make bcs miss states within the depth");
  if (options.shorten && !is_one_of("dfs", "bcs"))
    refuse("shorten is for the strategies dfs and bcs, and the strategy is " + strategy);
  if (strategy == "depth" && options.max_depth == 0) refuse("the strategy depth needs max_depth");
  if (options.max_transitions != 0 && strategy != "depth")
    refuse("max_transitions is for the strategy depth, and the strategy is " + strategy);
  if (options.reduce && !is_one_of("dfs", "bcs"))
    refuse("reduce is for the strategies dfs and bcs, and the strategy is " + strategy);
  if (options.free_cycles && strategy != "bcs")
    refuse("free_cycles is for the strategy bcs, and the strategy is " + strategy);
  if (options.jobs == 0 || options.jobs > 256) refuse("jobs must be at least 1 and at most 256");
  if (options.jobs > 1 && !is_one_of("bfs", "icb", "swarm"))
    refuse("jobs is for the strategies bfs, icb and swarm, and the strategy is " + strategy);
  if (options.store == Store::bitstate) {
    if (!is_one_of("dfs", "bcs", "random"))
      refuse("bitstate is for the strategies dfs, bcs and random, and the strategy is " + strategy);
    if (options.shorten || (options.max_depth != 0 && strategy == "bcs"))
      refuse("bitstate cannot store at which depth a state was visited, which max_depth and shorten need");
    if (options.bitstate_log2 < 10 || options.bitstate_log2 > 44)
      refuse("bitstate_log2 must be at least 10 and at most 44");
    if (options.bitstate_hashes == 0 || options.bitstate_hashes > 32)
      refuse("bitstate_hashes must be at least 1 and at most 32");
    constexpr unsigned kMostCopies = 1000;
    if (strategy == "bcs" && options.max_preemptions > kMostCopies) {
      refuse(
          "bitstate stores a state once for each number of preemptions up to max_preemptions, which must be "
          "at most 1000");
    }
  }
}

}  // namespace hocket::model
