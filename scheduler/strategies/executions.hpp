// The exploration loop: a strategy prepares a schedule, an execution follows it, and the strategy learns the
// result.
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
  stopped,    ///< the visitor asked for it
  diverged,   ///< the body did not behave as before, so it is not deterministic
};

/// The hooks that run_executions() calls for each execution, with the defaults of a visitor that lets
/// everything run. Visitors derive from this and hide the hooks that they need. The hooks are called in this
/// order; exceptions from them propagate out of run_executions().
struct ExecutionVisitor {
  /// The strategy has prepared an execution, which Strategy::bound() refers to. Returns whether to run it.
  [[nodiscard]] bool prepared() { return true; }
  /// The execution is over, but the strategy does not have the result yet. Returns whether to pass it on; if
  /// not, the loop ends.
  [[nodiscard]] bool ran(const runtime::ExecutionResult& /*result*/) { return true; }
  /// The strategy has the result and no longer needs the log, so a visitor may run executions of its own
  /// here, which overwrite the log. Returns whether to continue.
  [[nodiscard]] bool learned(const runtime::ExecutionResult& /*result*/) { return true; }
  /// Called instead of learned() if the strategy finds that the body did not behave as before. The loop ends.
  void diverged(const runtime::ExecutionResult& /*result*/) {}
};

/// Runs one execution. It is called like runtime::Execution::run_body(), without the body, which it knows.
template <class T>
concept ExecutionRunner =
    std::is_invocable_r_v<runtime::ExecutionResult, T&, runtime::Chooser&, const runtime::ExecutionOptions&>;

/// The options for the executions of a strategy: `options`, and what the strategy needs in addition. If both
/// have an observer, the one in `options` is notified of each event first.
class OptionsWithStrategy {
 public:
  OptionsWithStrategy(const runtime::ExecutionOptions& options, Strategy& strategy);

  /// For the execution that the strategy has just prepared.
  [[nodiscard]] const runtime::ExecutionOptions& get() {
    if (runtime::Observer* const observer = strategy_.observer(); observer != of_strategy_) observe(observer);
    return options_;
  }

 private:
  void observe(runtime::Observer* of_strategy);

  Strategy& strategy_;
  runtime::Observer* of_caller_;
  runtime::Observer* of_strategy_ = nullptr;
  runtime::ExecutionOptions options_;
  std::unique_ptr<runtime::Observer> for_both_;
};

/// Calls `run` for each schedule of `strategy` until there are none left, `visitor` asks to stop, or the
/// strategy finds that the body did not behave as before. This function adds to `options` what the strategy
/// needs: see OptionsWithStrategy. The caller must first have prepared the process's execution for a search,
/// as a SearchGuard does.
template <ExecutionRunner Run, class Visitor = ExecutionVisitor>
requires std::derived_from<std::remove_reference_t<Visitor>, ExecutionVisitor>
[[nodiscard]] ExecutionsEnd run_executions(
    Strategy& strategy, Run&& run, const runtime::ExecutionOptions& options, Visitor&& visitor = {}) {
  OptionsWithStrategy asked(options, strategy);
  while (strategy.next()) {
    if (!visitor.prepared()) return ExecutionsEnd::stopped;
    const runtime::ExecutionResult result = run(strategy.chooser(), asked.get());
    if (!visitor.ran(result)) return ExecutionsEnd::stopped;
    if (!strategy.finished(result)) {
      visitor.diverged(result);
      return ExecutionsEnd::diverged;
    }
    if (!visitor.learned(result)) return ExecutionsEnd::stopped;
  }
  return ExecutionsEnd::exhausted;
}

/// The same with executions of `body` in this process.
template <class Visitor = ExecutionVisitor>
[[nodiscard]] ExecutionsEnd run_executions(Strategy& strategy, const std::function<void()>& body,
    const runtime::ExecutionOptions& options, Visitor&& visitor = {}) {
  const auto run = [&body](runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) {
    return runtime::execution.run_body(body, chooser, asked);
  };
  return run_executions(strategy, run, options, visitor);
}

}  // namespace hocket
