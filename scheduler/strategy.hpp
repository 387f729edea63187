// A strategy decides which schedule comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <hocket/runtime/choice.hpp>
#include <hocket/runtime/execution.hpp>
#include <hocket/scheduler/frontier.hpp>
#include <hocket/scheduler/options.hpp>

namespace hocket {

/// The work that a strategy still has, and what storing it costs.
struct PendingWork {
  std::uint64_t items = 0;
  std::size_t bytes = 0;
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
  [[nodiscard]] virtual bool is_sampling() const { return false; }

  /// What must hear of the events of the executions that next() prepares, or nullptr.
  virtual runtime::Observer* observer() { return nullptr; }
};

std::unique_ptr<Strategy> make_icb(const Options& options);
std::unique_ptr<Strategy> make_dfs(const Options& options);
std::unique_ptr<Strategy> make_random(const Options& options);
std::unique_ptr<Strategy> make_cb_por(const Options& options);

/// The strategy named in `options`. Throws std::invalid_argument, naming those there are.
std::unique_ptr<Strategy> make_strategy(const Options& options);

}  // namespace hocket
