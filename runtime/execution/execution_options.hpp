// The options that a search or a replay sets for an execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "../objects/observer.hpp"
#include "../terms/detectors.hpp"
#include "../terms/retry_loops.hpp"
#include "../weak_memory/raised_orders.hpp"

namespace hocket::runtime {

class SealedSteps;
class Trace;

/// The options that determine what an execution does under a given schedule. A schedule file holds them under
/// the names that they have here, because a replay under other rules would diverge.
struct ExecutionRules {
  static constexpr std::size_t kLeastStack = std::size_t{16} << 10U;  ///< bytes
  static constexpr std::size_t kMostStack = std::size_t{1} << 30U;    ///< bytes

  std::uint32_t max_steps = 20'000;
  /// The first so many data races of an execution do not end it. Those of the same two lines are one.
  std::uint32_t passed_races = 0;
  std::size_t stack_size = std::size_t{256} * 1024;  ///< bytes, for each thread
  bool spurious_wakeups = false;
  bool spurious_failures = false;
  bool fair = false;  ///< see Fairness
  /// Operations of hocket:: atomics may read older stores than the newest, as the C++ memory model allows
  /// (runtime/weak_memory). Otherwise they are sequentially consistent.
  bool keeps_stores = false;
  /// If `keeps_stores`: so many operations in an execution are too many that read an older value than the
  /// newest, or store one that is not the newest. 0: no number is.
  std::uint32_t stale_limit = 0;
  /// If `keeps_stores`: a thread that has yielded in vain does not read again the older values that it has
  /// read before. Otherwise a loop that polls could read them for ever, at a price each, so that a search
  /// without prices or without a last bound would not end.
  bool reads_older_once = false;
  /// Timed waits and sleeps of so many nanoseconds, or more, are late: they end only when no thread can go
  /// on, in the order of their deadlines. 0: none are.
  std::size_t late_from = 0;
  /// Constructions and destructions of objects are plain accesses, which can race with uses (Races). Without
  /// operations weaker than seq_cst they never do.
  bool watches_lives = false;
  bool plain_steps = false;       ///< plain accesses of instrumented code are steps
  bool volatile_atomics = false;  ///< its volatile accesses are atomic loads and stores
  bool keeps_memory = false;      ///< instrumented code finds its memory as the previous execution left it
  bool own_process = false;       ///< runs in a child process, with the memory that the search began with
  Detectors detect;               ///< which bugs fail the execution, in addition to those that always do

  friend bool operator==(const ExecutionRules&, const ExecutionRules&) = default;
};

struct ExecutionOptions : ExecutionRules {
  bool leaves_out_unfair = false;   ///< if `fair`: unfair steps are no candidates, rather than costly ones
  bool notes_callers = false;       ///< see WeakerOrders; each search has an execution of its own for this
  bool may_be_interrupted = false;  ///< nobody draws conclusions from where it ends: see Verdict::interrupt()
  /// Data races with these signatures do not end the execution either. May be nullptr.
  const std::set<std::uint64_t>* known_races = nullptr;
  /// If `keeps_stores`: operations that run with other orders than they ask for. May be nullptr.
  const RaisedOrders* raised_orders = nullptr;
  SealedSteps* sealed_steps = nullptr;      ///< before which no thread is preempted. May be nullptr
  const RetryLoops* retry_loops = nullptr;  ///< in which threads yield. May be nullptr
  /// Where threads yielded in such loops in the execution that is replayed; in place of `retry_loops`.
  const RecordedGivingWay* recorded_giving_way = nullptr;
  Trace* trace = nullptr;        ///< where to record names, places and values, or nullptr
  Observer* observer = nullptr;  ///< notified of every event, or nullptr
};

}  // namespace hocket::runtime
