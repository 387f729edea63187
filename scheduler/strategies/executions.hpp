// The loop that everything is explored by: a strategy prepares a schedule, an execution follows it, and the
// strategy learns how that went.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "../../runtime/execution/execution.hpp"
#include "../../runtime/objects/observer.hpp"
#include "strategy.hpp"

namespace hocket {

/// Why run_executions() has returned.
enum class ExecutionsEnd : std::uint8_t {
  exhausted,  ///< the strategy has nothing left to run
  stopped,    ///< the visitor said so
  diverged,   ///< the body did not behave as before, so it is not deterministic
};

/// What run_executions() tells and asks at each execution, with the answers of a visitor that lets everything
/// run. Visitors derive from this and hide what they do otherwise. The hooks are called in this order; what
/// they throw leaves run_executions().
struct ExecutionVisitor {
  /// The strategy has prepared an execution, and Strategy::bound() is that of it. Returns whether to run it.
  bool prepared() { return true; }
  /// The execution is over, and the strategy has not heard of it. Returns whether to tell it; if not, this is
  /// the end.
  bool ran(const runtime::ExecutionResult& /*result*/) { return true; }
  /// The strategy has learned how the execution went, and needs the log no more: what has to run executions
  /// of its own, which overwrite the log, does so here. Returns whether to go on.
  bool learned(const runtime::ExecutionResult& /*result*/) { return true; }
  /// Instead of learned(): the strategy says that the body did not behave as before. This is the end.
  void diverged(const runtime::ExecutionResult& /*result*/) {}
};

/// Runs one execution: runtime::Execution::run() but for the body, which it knows.
template <class T>
concept ExecutionRunner =
    std::is_invocable_r_v<runtime::ExecutionResult, T&, runtime::Chooser&, const runtime::ExecutionOptions&>;

/// What to ask of the executions of a strategy: `options`, and what the strategy needs beside them. Where
/// both have an observer, that of `options` hears of each event first.
class OptionsWithStrategy {
 public:
  OptionsWithStrategy(const runtime::ExecutionOptions& options, Strategy& strategy);

  [[nodiscard]] const runtime::ExecutionOptions& get() const { return options_; }

 private:
  runtime::ExecutionOptions options_;
  std::unique_ptr<runtime::Observer> for_both_;
};

/// Runs executions by `run` under the schedules of `strategy` until there are none left, `visitor` says stop,
/// or the strategy finds that the body did not behave as before. What the strategy needs of `options` is set
/// here: see OptionsWithStrategy. Before, the caller has made the process's execution ready for one search,
/// as a SearchGuard does.
template <ExecutionRunner Run, class Visitor = ExecutionVisitor>
requires std::derived_from<std::remove_reference_t<Visitor>, ExecutionVisitor>
[[nodiscard]] ExecutionsEnd run_executions(
    Strategy& strategy, Run&& run, const runtime::ExecutionOptions& options, Visitor&& visitor = {}) {
  const OptionsWithStrategy asked(options, strategy);
  while (strategy.next()) {
    if (!visitor.prepared()) return ExecutionsEnd::stopped;
    const runtime::ExecutionResult result = run(strategy, asked.get());
    if (!visitor.ran(result)) return ExecutionsEnd::stopped;
    if (!strategy.finished(result)) {
      visitor.diverged(result);
      return ExecutionsEnd::diverged;
    }
    if (!visitor.learned(result)) return ExecutionsEnd::stopped;
  }
  return ExecutionsEnd::exhausted;
}

/// The same in this process, with the executions of `body`.
template <class Visitor = ExecutionVisitor>
[[nodiscard]] ExecutionsEnd run_executions(Strategy& strategy, const std::function<void()>& body,
    const runtime::ExecutionOptions& options, Visitor&& visitor = {}) {
  const auto run = [&body](runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) {
    return runtime::execution.run(body, chooser, asked);
  };
  return run_executions(strategy, run, options, visitor);
}

}  // namespace hocket
