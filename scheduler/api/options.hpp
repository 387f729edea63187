// The options of a search.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../../runtime/execution/execution_options.hpp"
#include "../../runtime/terms/detectors.hpp"
#include "shard.hpp"

namespace hocket {

/// What operations of hocket:: atomics with weaker memory orders than seq_cst may do.
enum class MemoryModel : std::uint8_t {
  sc,  ///< the same as with seq_cst; their orders count only for the detection of data races
  c11  ///< all that C++20 allows, except load buffering: a load may read an older value
};

/// For Options::max_preemptions: the bound rises until nothing is left to explore.
inline constexpr unsigned unbounded = ~0U;

using runtime::Detector;
using runtime::Detectors;

/// Which state of instrumented code is restored before each execution.
enum class Restore : std::uint8_t {
  snapshot,  ///< globals are as they were when the search began, and all heaps are empty
  nothing,   ///< nothing: the code cleans up after itself
  fork       ///< the whole process: each execution runs in a child process of its own
};

/// When the wait of a thread may expire, and its sleep end, while another thread could run.
enum class Timeouts : std::uint8_t {
  hour,  ///< at any time if it is shorter than an hour; longer ones are late
  any,   ///< at any time
  late   ///< never: only when no thread can go on, in the order of their deadlines
};

/// If a search meets a schedule in which yielding threads run forever and starve other threads, it starts
/// over with `fair` set, provided that the strategy can search fairly. The fair search leaves out no schedule
/// that terminates, except with "dfs", "idfs" and "best-first".
struct Options {
  std::string strategy = "auto";           ///< see docs/strategies.md
  unsigned max_preemptions = 2;            ///< the last bound searched, for strategies with bounds
  std::uint64_t max_executions = 0;        ///< 0: no limit, but 10 000 for sampling strategies
  std::chrono::nanoseconds time_limit{0};  ///< checked once per execution; 0: no limit
  /// The maximum number of steps of one execution; a longer execution fails. At most 1 048 575. The default
  /// is 20 000, or fifty times that if plain accesses are steps too.
  std::optional<std::uint32_t> max_steps{};
  std::uint64_t seed = 1;  ///< for sampling strategies
  /// Runs this part of the search, for strategies that can; "auto" is then "icb". A sampling strategy draws
  /// other schedules in each shard. Together the shards run what one search runs, if none meets a failure.
  std::optional<Shard> shard{};
  /// So many processes run a search that lasts, each a part of it, for strategies that can. 0: one for each
  /// core that this process may use. Needs no other thread in the process.
  unsigned jobs = 1;
  unsigned pct_depth = 0;  ///< for "pct": the bug depth to aim for; 0: 1 to 4 in turn
  std::uint32_t pct_length =
      0;  ///< for "pct": expected steps of an execution; 0: estimated from earlier ones
  bool keep_going =
      false;  ///< continue after a failure; saves one file for each of the first ten distinct ones
  /// A file of failures that are not reported, as ThreadSanitizer reads it: "race:Cache::get"; empty: none.
  std::string suppressions{};
  std::string schedule_dir = ".";  ///< where failing schedules are saved and looked up
  bool spurious_wakeups = false;   ///< condition variables may wake up spuriously, for one preemption each
  bool spurious_failures = false;  ///< compare_exchange_weak may fail spuriously, for one preemption each
  bool fair = false;  ///< a yielding thread gives way to threads it has starved, or it costs a preemption
  Timeouts timeouts = Timeouts::hour;
  /// Functions and files in which no thread is preempted, as patterns with commas between them:
  /// "Cache::get,log.cpp". Where a thread blocks or yields others go on, as everywhere.
  std::string seal{};
  std::string open{};  ///< functions and files in which alone threads are preempted; empty: everywhere
  /// Under MemoryModel::c11 an operation that reads an older value than the newest costs as much as a
  /// preemption, and so does a store that is not the newest one. std:: atomics of unmodified code are
  /// sequentially consistent under both. If none is given: see memory_model_of().
  std::optional<MemoryModel> memory_model{};
  /// Under MemoryModel::c11: how many operations of an execution may read an older value than the newest, or
  /// store one that is not the newest, within the bound for all; unbounded: any number.
  unsigned max_stale = unbounded;
  bool plain_steps = false;  ///< plain reads and writes of instrumented code are steps too
  /// Reads of volatile variables in instrumented code acquire, and writes to them release, as atomic loads
  /// and stores do. Otherwise they are plain accesses, and race with others, as C++ has it.
  bool volatile_atomics = false;
  Restore restore = Restore::snapshot;
  Detectors detect{};  ///< as in Detectors().with(Detector::leaked_memory)
  std::chrono::nanoseconds watchdog{std::chrono::seconds(5)};  ///< how long a thread may run, or wait in a
                                                               ///< call, without an operation; 0: no limit
  std::size_t memory_limit = 0;  ///< bytes that the search may use for its own data; 0: no limit
  /// The stack size of each logical thread, in bytes. 0: 256 KiB, or 8 MiB for instrumented code, which
  /// expects a stack of the usual size. Only the part that is used takes memory.
  std::size_t stack_size = 0;
  bool show_output = false;    ///< show what the body prints in every execution, not only in the failing one
  bool try_saved = true;       ///< before searching, replay the failures saved earlier for this test
  bool save_schedules = true;  ///< write failing schedules to schedule_dir
  std::string replay{};        ///< a schedule file to follow instead of searching
  bool minimize_file = false;  ///< with replay: look for a shorter schedule, and save it in the file
  bool replay_original =
      false;  ///< with replay: follow the schedule that the search found, not the shorter one
  /// How long, at most, to look for a shorter schedule that fails in the same way, after a failure. The
  /// search itself may have been shorter; then it takes no longer than that, or a second, unless more than
  /// these five seconds are asked for. 0: not at all.
  std::chrono::nanoseconds minimize{std::chrono::seconds(5)};
  bool break_at_failure = false;    ///< with replay: raise SIGTRAP where it fails, for a debugger
  std::uint64_t break_at_step = 0;  ///< with break_at_failure: and before this step; 0: before none
  bool require_bound = false;       ///< for test frameworks: a search stopped by a limit fails its test
};

/// Options::max_steps, or its default if it is not given.
std::uint32_t step_limit(const Options& options);

/// The memory model that the options ask for: if none is given, c11 for strategies that can search under it,
/// and sc for the others.
MemoryModel memory_model_of(const Options& options);

/// The execution rules that the options ask for. If no stack size is given, it is the default for hocket::
/// code.
runtime::ExecutionRules execution_rules(const Options& options);

/// Throws std::invalid_argument, with one sentence, if no search can run with these options.
void check(const Options& options);

}  // namespace hocket
