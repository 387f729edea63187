#include "strategy.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace hocket {

namespace {

/// "a, b and c": the names of the strategies for which `is_wanted` is true.
template <class Predicate>
std::string names_of(Predicate is_wanted) {
  std::vector<std::string_view> wanted;
  for (const StrategyInfo& info : strategies()) {
    if (is_wanted(info)) wanted.push_back(info.name);
  }
  std::string text(wanted.front());
  for (std::size_t n = 1; n < wanted.size(); ++n) {
    text += n + 1 == wanted.size() ? " and " : ", ";
    text += wanted[n];
  }
  return text;
}

}  // namespace

std::span<const StrategyInfo> strategies() {
  constexpr bool kFair = true;
  constexpr bool kUnfair = false;
  constexpr bool kC11 = true;
  constexpr bool kSc = false;
  static constexpr std::array<StrategyInfo, 18> kAll{{
      {"auto", "hb-cache and icb-por as far as they apply and save work, otherwise icb", kFair, kC11,
          make_auto},
      {"icb", "fewest preemptions first, every schedule once", kFair, kC11, make_icb},
      {"hb-cache", "icb, cut short at states it has been in before", kUnfair, kC11, make_hb_cache},
      {"hb-bitstate", "hb-cache with a few bits for a state: may miss classes", kUnfair, kSc,
          make_hb_bitstate},
      {"icb-por", "icb, independent contexts in few orders", kUnfair, kSc, make_icb_por},
      {"cb-por", "fewest preemptions first, every happens-before class once", kUnfair, kSc, make_cb_por},
      {"cb-por-basic", "fewest preemptions first, every state once", kUnfair, kSc, make_cb_por_basic},
      {"delay", "fewest delays first", kFair, kSc, make_delay},
      {"dfs", "depth first, every schedule once", kFair, kC11, make_dfs},
      {"dpor", "depth first, every class once, hardly any memory", kUnfair, kSc, make_dpor},
      {"dfs-sleep", "depth first with sleep sets", kUnfair, kSc, make_dfs_sleep},
      {"idfs", "fewest choices before the last deviation first", kFair, kSc, make_idfs},
      {"random", "at every point any thread with the same probability", kFair, kC11, make_random},
      {"pct", "random priorities with a few changes", kFair, kC11, make_pct},
      {"pos", "random priorities of operations, drawn again at conflicts", kFair, kC11, make_pos},
      {"urw", "the threads with the most steps left the most often", kFair, kC11, make_urw},
      {"sticky", "runs of one thread, of a random mean length in each execution", kFair, kC11, make_sticky},
      {"mix", "pos, pct, urw, sticky and random in turns", kFair, kC11, make_mix},
  }};
  return kAll;
}

std::string names_of_strategies() {
  return names_of([](const StrategyInfo&) { return true; });
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
