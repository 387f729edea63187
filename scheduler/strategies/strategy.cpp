#include "strategy.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../runtime/terms/english.hpp"
#include "../../runtime/terms/utf8.hpp"

namespace hocket {

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

}  // namespace

std::span<const StrategyInfo> strategies() {
  using enum StrategyUse;
  constexpr bool kFair = true;
  constexpr bool kUnfair = false;
  constexpr bool kC11 = true;
  constexpr bool kSc = false;
  static constexpr std::array<StrategyInfo, 17> kAll{{
      {"auto", "hb-cache and icb-por as far as they apply and save work, otherwise icb", choice, kFair, kC11,
          make_auto},
      {"icb", "fewest preemptions first, every schedule once", choice, kFair, kC11, make_icb},
      {"hb-cache", "icb, cut short at states it has been in before", choice, kUnfair, kC11, make_hb_cache},
      {"icb-por", "icb with partial-order reduction", choice, kUnfair, kSc, make_icb_por},
      {"cb-por", "fewest preemptions first, every happens-before class once", choice, kUnfair, kSc,
          make_cb_por},
      {"delay", "fewest delays first", choice, kFair, kSc, make_delay},
      {"dpor", "depth first, every class once, hardly any memory", choice, kUnfair, kSc, make_dpor},
      {"mix", "pos, pct, urw, sticky and random in turns", choice, kFair, kC11, make_mix},
      {"pos", "random priorities of operations, drawn again at conflicts", part_of_mix, kFair, kC11,
          make_pos},
      {"pct", "random priorities with a few changes", part_of_mix, kFair, kC11, make_pct},
      {"urw", "random walk weighted by each thread's remaining steps", part_of_mix, kFair, kC11, make_urw},
      {"sticky", "keeps one thread running for bursts of random length", part_of_mix, kFair, kC11,
          make_sticky},
      {"random", "at every point any thread with the same probability", part_of_mix, kFair, kC11,
          make_random},
      {"dfs", "depth first, every schedule once", comparison, kFair, kC11, make_dfs},
      {"idfs", "fewest choices before the last deviation first", comparison, kFair, kSc, make_idfs},
      {"dfs-sleep", "depth first with sleep sets", comparison, kUnfair, kSc, make_dfs_sleep},
      {"cb-por-basic", "fewest preemptions first, every state once", comparison, kUnfair, kSc,
          make_cb_por_basic},
  }};
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
