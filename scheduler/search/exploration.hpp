// What the parts of one search share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>

#include "../../runtime/execution/execution.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../process/child_processes.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

struct Exploration;
/// One execution in a child process (child_processes.cpp).
runtime::ExecutionResult run_in_child(
    const Exploration& exploration, runtime::Chooser& chooser, const runtime::ExecutionOptions& options);

/// A body, what was asked about it, and what has come of that so far.
struct Exploration {
  const std::function<void()>& body;
  Options options;
  Report report{};
  std::set<std::uint64_t> signatures{};  ///< of the failures that were met
  std::unique_ptr<OutputGate> gate{};    ///< none: everything that the body prints is shown

  [[nodiscard]] runtime::ExecutionOptions execution_options() const {
    runtime::ExecutionOptions result{execution_rules(options)};
    result.own_process = makes_children();
    return result;
  }

  /// Whether executions run in child processes.
  [[nodiscard]] bool makes_children() const { return hocket::makes_children(options); }
  /// Whether somebody will see what the body prints now.
  [[nodiscard]] bool shows_output() const { return gate == nullptr || gate->is_capturing(); }

  /// Every execution of a body by a search, or a replay, is made here.
  runtime::ExecutionResult run(runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) const {
    if (asked.own_process) [[unlikely]]
      return run_in_child(*this, chooser, asked);
    return runtime::execution.run(body, chooser, asked);
  }

  /// From here on, until end_capture(), what the body prints is kept.
  void begin_capture() const {
    if (gate != nullptr) gate->begin_capture();
  }
  [[nodiscard]] std::string end_capture() const {
    return gate != nullptr ? gate->end_capture() : std::string{};
  }
};

}  // namespace hocket
