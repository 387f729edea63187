#include "strategy_table.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"
#include "strategy.hpp"

namespace hocket {

// Each is in a source of its own. Only the table below calls them.
std::unique_ptr<Strategy> make_auto(const Options& options);
std::unique_ptr<Strategy> make_hb_cache(const Options& options);
std::unique_ptr<Strategy> make_icb_por(const Options& options);
std::unique_ptr<Strategy> make_cb_por(const Options& options);
std::unique_ptr<Strategy> make_delay(const Options& options);
std::unique_ptr<Strategy> make_dpor(const Options& options);
std::unique_ptr<Strategy> make_best_first(const Options& options);
std::unique_ptr<Strategy> make_mix(const Options& options);
std::unique_ptr<Strategy> make_pos(const Options& options);
std::unique_ptr<Strategy> make_pct(const Options& options);
std::unique_ptr<Strategy> make_urw(const Options& options);
std::unique_ptr<Strategy> make_sticky(const Options& options);
std::unique_ptr<Strategy> make_random(const Options& options);
std::unique_ptr<Strategy> make_dfs(const Options& options);
std::unique_ptr<Strategy> make_idfs(const Options& options);
std::unique_ptr<Strategy> make_dfs_sleep(const Options& options);
std::unique_ptr<Strategy> make_cb_por_basic(const Options& options);

namespace {

/// "a, b and c": the names of the strategies for which `is_wanted` is true.
template <class Predicate>
std::string names_of(Predicate is_wanted) {
  std::vector<std::string_view> wanted;
  for (const StrategyInfo& info : strategies()) {
    if (is_wanted(info)) wanted.push_back(info.name);
  }
  return runtime::listed(wanted);
}

std::string names_used_as(StrategyUse use) {
  return names_of([use](const StrategyInfo& info) { return info.use == use; });
}

/// One that leaves nothing out for what it remembers, so that it can do all there is.
constexpr StrategyInfo with_all_options(std::string_view name, std::string_view what, StrategyUse use,
    std::unique_ptr<Strategy> (*make)(const Options& options)) {
  return {.name = name,
      .what = what,
      .use = use,
      .can_be_fair = true,
      .can_keep_stores = true,
      .can_be_split = true,
      .can_be_sealed = true,
      .make = make};
}

/// The same, if its jobs can go on with what one process has begun.
constexpr StrategyInfo sharing_work(StrategyInfo info) {
  info.can_share_work = true;
  return info;
}

}  // namespace

std::span<const StrategyInfo> strategies() {
  using enum StrategyUse;
  static constexpr auto kAll = std::to_array<StrategyInfo>({
      {.name = "auto",
          .what = "hb-cache, icb-por and cb-por as far as they apply and save work, otherwise icb",
          .use = choice,
          .can_be_fair = true,
          .can_keep_stores = true,
          .can_be_split = true,  // into shards, as icb
          .can_share_work = true,
          .can_be_sealed = true,  // it is icb and hb-cache then
          .make = make_auto},
      sharing_work(
          with_all_options("icb", "fewest preemptions first, every schedule once", choice, make_icb)),
      {.name = "hb-cache",
          .what = "icb, cut short at states it has been in before",
          .use = choice,
          .can_keep_stores = true,
          .can_share_work = true,
          .can_be_sealed = true,
          .make = make_hb_cache},
      {.name = "icb-por", .what = "icb with partial-order reduction", .use = choice, .make = make_icb_por},
      {.name = "cb-por",
          .what = "fewest preemptions first, every happens-before class once",
          .use = choice,
          .make = make_cb_por},
      {.name = "delay",
          .what = "fewest delays first",
          .use = choice,
          .can_be_fair = true,
          .can_be_split = true,
          .can_share_work = true,
          .can_be_sealed = true,
          .make = make_delay},
      {.name = "dpor",
          .what = "depth first, every class once, hardly any memory",
          .use = choice,
          .make = make_dpor},
      {.name = "best-first",
          .what = "rarest kind of switch first, every schedule once",
          .use = choice,
          .can_be_fair = true,
          .can_be_sealed = true,
          .make = make_best_first},
      with_all_options("mix", "pos, pct, urw, sticky and random in turns", choice, make_mix),
      with_all_options(
          "pos", "random priorities of operations, drawn again at conflicts", part_of_mix, make_pos),
      with_all_options("pct", "random priorities with a few changes", part_of_mix, make_pct),
      with_all_options("urw", "random walk weighted by each thread's remaining steps", part_of_mix, make_urw),
      with_all_options(
          "sticky", "keeps one thread running for bursts of random length", part_of_mix, make_sticky),
      with_all_options(
          "random", "at every point any thread with the same probability", part_of_mix, make_random),
      sharing_work(with_all_options("dfs", "depth first, every schedule once", comparison, make_dfs)),
      {.name = "idfs",
          .what = "fewest choices before the last deviation first",
          .use = comparison,
          .can_be_fair = true,
          .can_be_sealed = true,
          .make = make_idfs},
      {.name = "dfs-sleep", .what = "depth first with sleep sets", .use = comparison, .make = make_dfs_sleep},
      {.name = "cb-por-basic",
          .what = "fewest preemptions first, every state once",
          .use = comparison,
          .make = make_cb_por_basic},
  });
  return kAll;
}

std::string names_of_strategies() {
  return names_of([](const StrategyInfo&) { return true; });
}

std::string names_of_strategies_by_use() {
  return names_used_as(StrategyUse::choice) + "; parts of mix: " + names_used_as(StrategyUse::part_of_mix) +
         "; for comparison: " + names_used_as(StrategyUse::comparison);
}

std::string names_of_fair_strategies() {
  return names_of([](const StrategyInfo& info) { return info.can_be_fair; });
}

std::string names_of_strategies_for_c11() {
  return names_of([](const StrategyInfo& info) { return info.can_keep_stores; });
}

std::string names_of_strategies_for_shards() {
  return names_of([](const StrategyInfo& info) { return info.can_be_split; });
}

std::string names_of_strategies_for_seals() {
  return names_of([](const StrategyInfo& info) { return info.can_be_sealed; });
}

const StrategyInfo& strategy_info(std::string_view name) {
  for (const StrategyInfo& info : strategies()) {
    if (info.name == name) return info;
  }
  throw std::invalid_argument("hocket: there is no strategy \"" + std::string(name) +
                              "\"; the strategies are " + names_of_strategies());
}

std::unique_ptr<Strategy> make_strategy(const Options& options) {
  return strategy_info(options.strategy).make(options);
}

}  // namespace hocket
