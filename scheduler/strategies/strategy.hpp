// A strategy decides which schedule comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/execution/execution_result.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../api/options.hpp"
#include "frontier.hpp"
#include "share_done.hpp"

namespace hocket {

class WorkSharing;

/// The work that a strategy still has to do, and the memory for it.
struct PendingWork {
  std::uint64_t items = 0;
  std::size_t bytes = 0;        ///< memory for the items
  std::size_t table_bytes = 0;  ///< memory for everything else that is remembered
};

/// One choice of a schedule; the thread is given by its stable key.
struct OrderedChoice {
  std::uint64_t thread;  ///< Thread::key
  bool is_value;
  std::uint32_t what;  ///< the value, or the mode
};

class Strategy : public runtime::Chooser {
 public:
  /// Prepares one more execution. Returns false if there is nothing left to run.
  [[nodiscard]] virtual bool next() = 0;

  /// Decides at the choice points of the execution that next() prepared.
  virtual runtime::Chooser& chooser() { return *this; }

  /// Takes the result of the execution that next() prepared. Returns false if the body did not behave as
  /// before.
  [[nodiscard]] virtual bool finished(const runtime::ExecutionResult& result) = 0;

  /// The price, in bound_unit(), of the execution that next() prepared; 0 if the strategy has no bounds.
  /// next() alone changes it.
  [[nodiscard]] virtual unsigned bound() const { return 0; }

  /// Whether the execution that next() prepared only checks what the strategy leaves out. It is within the
  /// bound, so its class must be one of those that other executions are of.
  [[nodiscard]] virtual bool is_probe() const { return false; }

  /// Whether the execution that next() prepared is one that another shard counts: see Options::shard.
  [[nodiscard]] virtual bool is_of_another_shard() const { return false; }

  /// The deviations from the default schedule of the execution that next() prepared, if the strategy works
  /// with deviations.
  [[nodiscard]] virtual std::vector<Deviation> deviations() const { return {}; }

  [[nodiscard]] virtual PendingWork pending() const { return {}; }
  /// The number of pending items at the next bound.
  [[nodiscard]] virtual std::uint64_t pending_at_next_bound() const { return 0; }

  /// How much of the current bound is done, if the strategy can tell.
  [[nodiscard]] virtual std::optional<BoundEstimate> estimate() const { return std::nullopt; }

  /// Whether executions were left out because they are beyond the last bound.
  [[nodiscard]] virtual bool left_out_any() const { return false; }

  [[nodiscard]] virtual bool has_bounds() const { return false; }
  /// What the bounds count, in the singular.
  [[nodiscard]] virtual std::string_view bound_unit() const { return "preemption"; }
  [[nodiscard]] virtual bool is_sampling() const { return false; }
  /// Whether a search that has nothing left to run has missed nothing. Otherwise it has only run a sample.
  [[nodiscard]] virtual bool is_complete() const { return true; }
  /// Whether a fair search leaves out unfair executions. A strategy that runs everything, in no order of
  /// prices, would never end otherwise.
  [[nodiscard]] virtual bool leaves_out_unfair() const { return false; }
  /// A note for the reader of the report, for example that memory ran out, or empty.
  [[nodiscard]] virtual std::string note() const { return {}; }

  /// Prepares to go on in so many jobs, which are made by fork(), each with a part of what is left to run.
  /// Returns what they share; nullptr: the strategy cannot. Throws std::system_error.
  [[nodiscard]] virtual std::shared_ptr<WorkSharing> share_work(unsigned /*jobs*/) { return nullptr; }
  /// In such a job, between two executions: it has this number, from 1. next() also returns false then if the
  /// search is over, or must_stop says so.
  virtual void become_job(unsigned /*index*/) {}

  /// The choices of the execution last passed to finished(), in an order of its class that has the fewest
  /// preemptions. Empty unless the strategy may run a more expensive order.
  [[nodiscard]] virtual std::vector<OrderedChoice> cheapest_order() { return {}; }

  /// Set by the search: returns true when a limit or Ctrl-C asks it to stop. Long work between two executions
  /// polls it and stops early.
  std::function<bool()> must_stop;

  /// The observer of the executions that next() prepares, or nullptr.
  virtual runtime::Observer* observer() { return nullptr; }
};

/// When the strategy auto decides how to go on.
struct Trial {
  unsigned executions = 4096;  ///< after so many it decides, and again after as many
  /// If no more than one in so many of them met no state that was known, it tries icb-por; if no more than
  /// one came to a class that was not known, cb-por.
  unsigned mostly_known = 8;
  bool tries_icb_por = true;
  bool tries_cb_por = true;
};
/// That of the strategy auto. Tests make it shorter.
inline constinit Trial usual_trial;
std::unique_ptr<Strategy> make_auto_with(const Options& options, Trial trial);
std::unique_ptr<Strategy> make_icb(const Options& options);
/// The strategy cb-por, with everything up to the bound as its first one.
std::unique_ptr<Strategy> make_cb_por_from(const Options& options, unsigned first_bound);

/// The strategy named in `options`. Throws std::invalid_argument, which lists the strategies, if there is no
/// such strategy.
std::unique_ptr<Strategy> make_strategy(const Options& options);

using DecisionListener = void (*)(const std::string& sentence);

/// Called with a sentence about each decision, between executions; nullptr: nobody asks for them.
extern constinit DecisionListener tell_of_decision;

}  // namespace hocket
