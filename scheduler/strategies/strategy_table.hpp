// The table of all strategies: what each is called, and what it can do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hocket {

class Strategy;
struct Options;

/// What a strategy is there for.
enum class StrategyUse : std::uint8_t {
  choice,       ///< somebody who tests a program chooses it
  part_of_mix,  ///< "mix" takes turns with it, and each can be chosen alone
  comparison    ///< results of others are compared with its own
};

/// A row of the table.
struct StrategyInfo {
  std::string_view name;
  std::string_view what;
  StrategyUse use;
  /// Whether it can search fairly: see Options::fair. Reductions cannot, because which thread must be held
  /// back depends on the order of independent steps.
  bool can_be_fair = false;
  /// Whether it can search under MemoryModel::c11. Reductions cannot yet: which steps are independent is
  /// another question where an operation may read several values.
  bool can_keep_stores = false;
  /// Whether a search can be split into shards: see Options::shard. What remembers states or classes would
  /// have to share them.
  bool can_be_split = false;
  /// Whether jobs can go on with what one process has begun: see Strategy::share_work().
  bool can_share_work = false;
  /// Whether it can search with Options::seal and Options::open. Those that leave out orders of
  /// independent steps cannot: seals may allow one order of a class and not the other.
  bool can_be_sealed = false;
  std::unique_ptr<Strategy> (*make)(const Options& options);
};
std::span<const StrategyInfo> strategies();
/// "auto, icb, … and mix": all of them.
std::string names_of_strategies();
/// The same, with those apart that are parts of mix or for comparison.
std::string names_of_strategies_by_use();
/// The same for the strategies that can search fairly.
std::string names_of_fair_strategies();
/// The same for those that can search under the C++ memory model.
std::string names_of_strategies_for_c11();
/// The same for the strategies whose searches can be split into shards.
std::string names_of_strategies_for_shards();
/// The same for those that can leave out the preemptions of some code.
std::string names_of_strategies_for_seals();
/// The strategy called `name`. Throws std::invalid_argument if there is none; the message lists all
/// strategies.
const StrategyInfo& strategy_info(std::string_view name);

}  // namespace hocket
