// The data that the parts of one search share.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/execution/execution_result.hpp"
#include "../../runtime/terms/choice.hpp"
#include "../api/options.hpp"
#include "../api/report.hpp"
#include "../options/seals.hpp"
#include "../options/suppressions.hpp"
#include "../process/child_processes.hpp"
#include "../process/output_gate.hpp"

namespace hocket {

/// The folder in which the process is when a search begins. Bodies may change it, but names of files that
/// users give, and those in commands that Hocket prints, are meant from that folder.
class StartFolder {
 public:
  StartFolder();
  /// Goes back.
  ~StartFolder();
  StartFolder(const StartFolder&) = delete;
  StartFolder& operator=(const StartFolder&) = delete;

  /// Makes it the folder of the process again.
  void go_back() const;

 private:
  int descriptor_;
};

/// A failure that was saved, and did not come again when its schedule was followed.
struct PastFailure {
  std::filesystem::path file;
  unsigned bound = 0;          ///< its preemptions
  bool has_run_clean = false;  ///< to the end of its schedule; otherwise the body takes other steps now
};

/// How often a suppression has kept a failure from being reported.
struct Suppressed {
  std::string line;  ///< of the file of suppressions
  unsigned failures = 0;
};

/// Sets the size of the stacks to the usual one, if the options do not say how large they are to be.
void use_usual_stack(Options& options);

/// A body, the options of its search, and the results so far.
struct Exploration {
  const std::function<void()>& body;
  Options options;
  Report report{};
  std::set<std::uint64_t> signatures{};  ///< of the failures found so far
  Suppressions suppressions{options.suppressions};
  std::unique_ptr<Seals> seals = std::make_unique<Seals>(options.seal, options.open);
  std::vector<Suppressed> suppressed{};   ///< failures that are not reported
  std::set<std::uint64_t> known_races{};  ///< signatures of data races that end no execution any more
  std::vector<PastFailure> past_failures{};
  /// The memory model that the options ask for. Until an operation asks for less than seq_cst, the search
  /// goes on as under MemoryModel::sc, which then shows the same.
  MemoryModel asked_model = memory_model_of(options);
  /// Executions look at the lives of objects (runtime::ExecutionRules::watches_lives). It matters only where
  /// some operation is weaker than seq_cst and threads share lives, so a search begins to when it meets both.
  bool watches_lives = false;
  runtime::RetryLoops retry_loops{};  ///< in which threads yield
  StartFolder start_folder{};
  /// Work on failures ends by then.
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  std::unique_ptr<OutputGate> gate{};  ///< null if everything that the body prints is shown

  [[nodiscard]] runtime::ExecutionRules rules() const {
    runtime::ExecutionRules result = execution_rules(options);
    result.watches_lives = watches_lives;
    result.own_process = makes_children();  // a replay makes none
    return result;
  }

  [[nodiscard]] runtime::ExecutionOptions execution_options() const {
    runtime::ExecutionOptions result{rules()};
    if (goes_past_races()) result.known_races = &known_races;
    if (!seals->empty()) result.sealed_steps = seals.get();
    result.retry_loops = &retry_loops;
    return result;
  }

  /// The options that say which executions there are, and which of them a shard runs.
  [[nodiscard]] std::string split_search() const;

  /// The same for an execution that a signal to the search may end before its time.
  [[nodiscard]] runtime::ExecutionOptions interruptible_options() const {
    runtime::ExecutionOptions result = execution_options();
    result.may_be_interrupted = true;
    return result;
  }

  /// Whether executions go on after data races that are known.
  [[nodiscard]] bool goes_past_races() const { return options.keep_going || !suppressions.empty(); }
  /// Whether executions run in child processes.
  [[nodiscard]] bool makes_children() const { return hocket::makes_children(options); }
  /// Whether what the body prints now is shown or captured.
  [[nodiscard]] bool shows_output() const { return gate == nullptr || gate->is_capturing(); }

  /// Runs one execution. All executions of searches and replays go through here.
  runtime::ExecutionResult run(runtime::Chooser& chooser, const runtime::ExecutionOptions& asked) const;

  /// When work on a failure is to end that may take so long from now on.
  [[nodiscard]] std::chrono::steady_clock::time_point end_after(std::chrono::nanoseconds time) const;

  /// Captures what the body prints until end_capture().
  void begin_capture() const {
    if (gate != nullptr) gate->begin_capture();
  }
  [[nodiscard]] std::string end_capture() const {
    return gate != nullptr ? gate->end_capture() : std::string{};
  }
};

}  // namespace hocket
