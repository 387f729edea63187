// A strategy decides which schedule comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../api/options.hpp"
#include "frontier.hpp"

namespace hocket {

/// The work that a strategy still has, and what storing it costs.
struct PendingWork {
  std::uint64_t items = 0;
  std::size_t bytes = 0;        ///< of the items
  std::size_t table_bytes = 0;  ///< of what is remembered beside them
};

/// One choice of a schedule, by the stable name of its thread.
struct OrderedChoice {
  std::uint64_t thread;  ///< Thread::key
  bool is_value;
  std::uint32_t what;  ///< the value, or the mode
};

class Strategy : public runtime::Chooser {
 public:
  /// Prepares to choose for one more execution. False: there is nothing left to run.
  virtual bool next() = 0;

  /// Learns how the execution went that next() prepared. False: the body did not behave as before.
  virtual bool finished(const runtime::ExecutionResult& result) = 0;

  /// The price, in preemptions, of the execution that next() prepared; 0 where there are no bounds.
  [[nodiscard]] virtual unsigned bound() const { return 0; }

  /// The deviations from the default of the execution that next() prepared, where a strategy thinks in
  /// deviations.
  [[nodiscard]] virtual std::vector<Deviation> deviations() const { return {}; }

  [[nodiscard]] virtual PendingWork pending() const { return {}; }
  /// Of those, the ones at the next bound.
  [[nodiscard]] virtual std::uint64_t pending_at_next_bound() const { return 0; }

  /// Whether executions were left out because they are beyond the last bound.
  [[nodiscard]] virtual bool left_out_any() const { return false; }

  [[nodiscard]] virtual bool has_bounds() const { return false; }
  /// What bounds count, in the singular.
  [[nodiscard]] virtual std::string_view bound_unit() const { return "preemption"; }
  [[nodiscard]] virtual bool is_sampling() const { return false; }
  /// Whether nothing is missed when there is nothing left to run. Otherwise the search has passed a sample.
  [[nodiscard]] virtual bool is_complete() const { return true; }
  /// Whether a fair search by it leaves out what is not fair, because nothing else would bring it to an end:
  /// it runs everything there is, in no order of prices.
  [[nodiscard]] virtual bool leaves_out_unfair() const { return false; }
  /// What a reader of the report must know, or empty; for example what memory ran out.
  [[nodiscard]] virtual std::string note() const { return {}; }

  /// The choices of the execution that finished() was told of last, in an order of its class that has the
  /// fewest preemptions, where a strategy may run another one.
  [[nodiscard]] virtual std::vector<OrderedChoice> cheapest_order() { return {}; }

  /// Set by the search: whether a limit or Ctrl-C wants it to stop. Work that may take long between two
  /// executions asks now and then, and stops in the middle.
  std::function<bool()> must_stop;

  /// What must hear of the events of the executions that next() prepares, or nullptr.
  virtual runtime::Observer* observer() { return nullptr; }
};

std::unique_ptr<Strategy> make_icb(const Options& options);
std::unique_ptr<Strategy> make_dfs(const Options& options);
std::unique_ptr<Strategy> make_dfs_sleep(const Options& options);
std::unique_ptr<Strategy> make_idfs(const Options& options);
std::unique_ptr<Strategy> make_random(const Options& options);
std::unique_ptr<Strategy> make_pct(const Options& options);
std::unique_ptr<Strategy> make_delay(const Options& options);
std::unique_ptr<Strategy> make_hb_cache(const Options& options);
std::unique_ptr<Strategy> make_hb_bitstate(const Options& options);
std::unique_ptr<Strategy> make_cb_por_basic(const Options& options);
std::unique_ptr<Strategy> make_cb_por(const Options& options);

/// One line about each strategy there is.
struct StrategyInfo {
  std::string_view name;
  std::string_view what;
  /// Whether it can search fairly: see Options::fair. Reductions cannot, because which thread is to be held
  /// back depends on the order of independent steps.
  bool can_be_fair;
  std::unique_ptr<Strategy> (*make)(const Options& options);
};
std::span<const StrategyInfo> strategies();
/// "icb, hb-cache, … and pct"
std::string names_of_strategies();
/// Of those that can be fair.
std::string names_of_fair_strategies();
/// Throws std::invalid_argument, naming those there are, if there is none of that name.
const StrategyInfo& strategy_info(std::string_view name);

/// The strategy named in `options`. Throws std::invalid_argument, naming those there are.
std::unique_ptr<Strategy> make_strategy(const Options& options);

}  // namespace hocket
