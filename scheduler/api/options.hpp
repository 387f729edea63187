// What a search is asked to do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/detectors.hpp"

namespace hocket {

/// As Options::max_preemptions: rise until there is nothing left to explore.
inline constexpr unsigned unbounded = ~0U;

using runtime::Detector;
using runtime::Detectors;

/// What of instrumented code is put back before each execution.
enum class Restore : std::uint8_t {
  snapshot,  ///< the program's globals, to what they were when the search began; all heaps are empty
  nothing,   ///< the code cleans up after itself
  fork       ///< all of the process: each execution of a search runs in a child of its own
};

/// A search that meets a schedule in which threads that yield are kept running for ever, while others that
/// could go on are kept waiting, begins anew with `fair`, where the strategy can search that way. Nothing
/// that comes to an end is left out then, but by "dfs" and "idfs", which say so.
struct Options {
  std::string strategy = "icb";            ///< see docs/strategies.md
  unsigned max_preemptions = 2;            ///< the last bound searched, by strategies that have bounds
  std::uint64_t max_executions = 0;        ///< 0: no limit, but 10 000 for sampling strategies
  std::chrono::nanoseconds time_limit{0};  ///< checked at every execution; 0: no limit
  /// Of one execution; beyond it has failed. At most 1 048 575. None: 20 000, and fifty times as many where
  /// plain accesses are steps too.
  std::optional<std::uint32_t> max_steps{};
  std::uint64_t seed = 1;          ///< of sampling strategies
  unsigned pct_depth = 0;          ///< of "pct": ordered steps of the bug; 0: 1 to 4 in turn
  std::uint32_t pct_length = 0;    ///< of "pct": steps of an execution; 0: those of the executions so far
  bool keep_going = false;         ///< go on after a failure; one file per distinct failure, at most ten
  std::string schedule_dir = ".";  ///< where failing schedules are written, and looked for
  bool spurious_wakeups = false;   ///< condition variables may wake up for no reason, for one preemption each
  bool spurious_failures = false;  ///< compare_exchange_weak may fail for no reason, for one preemption each
  bool fair = false;  ///< threads that yield let those go first that they starve, or it costs a preemption
  bool plain_steps = false;  ///< plain reads and writes of instrumented code are steps too
  Restore restore = Restore::snapshot;
  Detectors detect{};  ///< as in Detectors().with(Detector::leaked_memory)
  std::chrono::nanoseconds watchdog{std::chrono::seconds(5)};  ///< how long, in real time, a thread may run
                                                               ///< without an operation; 0: for ever
  std::size_t memory_limit = 0;  ///< bytes that the search itself may keep; 0: no limit
  /// Bytes, of each logical thread. 0: 256 KiB; for code that was not written for Hocket 8 MiB, as such code
  /// has elsewhere. Only what is used of them takes memory.
  std::size_t stack_size = 0;
  bool show_output = false;    ///< show what the body prints in every execution, not only in the failing one
  bool try_saved = true;       ///< replay the failures saved for this test earlier before searching
  bool save_schedules = true;  ///< write failing schedules to schedule_dir
  std::string replay{};        ///< a schedule file to follow instead of searching
  bool break_at_failure = false;  ///< with replay: raise SIGTRAP before the last step
  bool require_bound = false;     ///< for test frameworks: a search that a limit stopped has failed
};

/// Options::max_steps, or what it is where it is not given.
std::uint32_t step_limit(const Options& options);

/// The rules of an execution that the options ask for. A stack size that is not given is that of hocket::
/// code.
runtime::ExecutionRules execution_rules(const Options& options);

/// Throws std::invalid_argument, with one sentence, if no search can be made with these.
void check(const Options& options);

}  // namespace hocket
