// The state of an execution, as plain data, so that the hot path accesses it directly.
#pragma once

#include <cstdint>

#include "../objects/object.hpp"
#include "../platform/exception_state.hpp"
#include "../terms/action_hash.hpp"
#include "../terms/choice.hpp"
#include "../terms/thread_set.hpp"
#include "../threads/thread.hpp"
#include "../threads/thread_host.hpp"
#include "execution_options.hpp"
#include "execution_result.hpp"

namespace hocket::runtime {

struct ColdState;
class Races;

/// What needs to see actions, in addition to the class hash. Grows while an execution runs.
enum class Attention : std::uint8_t {
  none,
  to_order,  ///< only the race detector
  to_all     ///< also a recording, an observer, or threads that have yielded or wait for a predicate
};

/// The base of Execution and its view. Only these two may access the protected members.
class ExecutionState {
 public:
  /// The size of a log in bytes. Only the pages in use are committed.
  static constexpr std::size_t kLogBytes = (std::size_t{kMaxPositions} + 1) * sizeof(LogEntry);

  // -- What the hot path reads. First, so that it shares few cache lines.
  std::uintptr_t os_thread = 0;  ///< the OS thread on which an execution runs now, or 0
  Thread* current = nullptr;
  Life life = Life::first_execution;  ///< Object::life of every object in order
  LogEntry* log = nullptr;
  std::uint32_t position = 0;      ///< choice points reached so far
  std::uint32_t stop = 0;          ///< the position at which the fast path ends; 0: no step takes it
  std::uint32_t common_until = 0;  ///< the position at which the common path ends; 0: no step takes it
  ClassHash hash;
  ThreadSet enabled;
  platform::ExceptionState* exception_state = nullptr;
  Attention attention = Attention::none;
  bool ending = false;  ///< the verdict on this execution is final; its threads are being ended
  /// The verdict on this execution is final, and its threads run to their ends: see Ending::run_out().
  bool running_out = false;
  bool failed_running_out = false;  ///< and one of them has failed
  bool recording = false;
  bool keeps_stores = false;  ///< ExecutionRules::keeps_stores
  /// An atomic of which older values could be kept was asked for less than seq_cst, in this search.
  bool has_met_weaker_order = false;
  /// True while a plain access needs nothing but the race check: there is no recording, plain accesses are
  /// not steps, and there are at most VectorClock::kNear threads.
  bool accesses_are_simple = false;
  bool sanitized = false;           ///< AddressSanitizer must be notified of fiber switches
  bool switches_with_care = false;  ///< `sanitized`, or logical threads have control blocks of their own
  bool counts_objects = false;      ///< objects that are never destroyed are to be reported
  bool counts_memory = false;       ///< memory that is never freed is to be reported
  std::uint64_t first_touches = 0;  ///< how often code not written for Hocket has touched new memory
  unsigned own_memory = 0;          ///< nested OwnMemory guards (allocations.hpp)
  ThreadHost* host = nullptr;       ///< may be nullptr; set before the first execution

  /// The calls that have asked for an order weaker than seq_cst and that WeakerOrders already knows. Each is
  /// stored as a hash, in the slot given by its upper bits.
  static constexpr unsigned kBitsOfPlace = 9;
  std::uint64_t noted_orders[std::size_t{1} << kBitsOfPlace] = {};

  void raise_attention(Attention to) {
    if (attention < to) attention = to;
    if (attention_without_observer_ < to) attention_without_observer_ = to;
  }
  [[nodiscard]] bool verdict_is_final() const { return ending || running_out; }
  /// Where the execution is recorded, or nullptr.
  [[nodiscard]] Trace* trace() const { return options_.trace; }
  /// Whether a thread has been detached in this execution.
  [[nodiscard]] bool any_detached() const { return any_detached_; }

 protected:
  /// Makes all steps take the slow path until one of them finds no more reason for it.
  void leave_common_path() { stop = common_until = 0; }

  // -- choosing
  Chooser* chooser_ = nullptr;
  ChoiceLog so_far_;  ///< as the chooser sees it
  ExecutionOptions options_;
  unsigned last_ = 0;           ///< the thread that made the last step
  bool last_yielded_ = false;   ///< and that step was a yield
  bool names_in_order_ = true;  ///< thread indices are in the order of the stable names
  unsigned threads_ = 0;
  unsigned live_ = 0;
  unsigned handles_closed_ = 0;  ///< joined or detached
  bool any_detached_ = false;
  /// Number of reasons why choosing takes the slow path: recording, fairness, more than 64 threads, and each
  /// thread that may expire, is at a yield, is guarded or forbids preemption.
  unsigned slow_path_reasons_ = 0;
  std::uint32_t common_end_ = 0;  ///< the position from which the last steps are kept
  unsigned special_waits_ = 0;    ///< threads that may expire or wake up spuriously
  Attention attention_without_observer_ = Attention::none;
  ThreadSet at_yield_;  ///< stopped before a yield or sleep
  ThreadSet guarded_;   ///< Thread::is_guarded
  ThreadSet expirable_;
  ThreadSet wakable_;     ///< may wake up spuriously
  std::int64_t now_ = 0;  ///< virtual nanoseconds
  Outcome outcome_ = Outcome::completed;
  std::uint32_t ending_operations_ = 0;
  std::uint32_t end_position_ = 0;
  ClassHash end_hash_;
  unsigned abandoned_in_all_ = 0;
  bool abandoned_ = false;
  bool running_ = false;
  bool is_interrupted_ = false;   ///< see Ending::interrupt()
  bool looks_for_races_ = false;  ///< from the first access to a var
  unsigned ignoring_races_ = 0;   ///< number of threads that have some accesses excluded from race detection
  bool passes_over_races_ = false;     ///< in this search
  bool passes_over_stores_ = false;    ///< in this search
  bool left_out_rereads_ = false;      ///< in this search: see ExecutionRules::reads_older_once
  bool left_out_stale_ = false;        ///< in this search: see ExecutionRules::stale_limit
  std::uint32_t granted_steps_ = 0;    ///< beyond the limit that was asked for: see grant_a_step()
  const void* priced_poll_ = nullptr;  ///< code, for this search; see priced_poll()
  const void* met_attempt_ = nullptr;  ///< code, for this search; see met_attempt()
  bool has_lone_attempts_ = false;     ///< in this search
  bool passes_over_failures_ = false;
  Thread* thread_slots_[kMaxThreads] = {};
  Races* races_ = nullptr;           ///< in the cold state
  ColdState* cold_state_ = nullptr;  ///< the state that is not plain data; made by the first run, never freed
  Thread* driver_ = nullptr;
  Thread* sanitized_from_ = nullptr;  ///< if `sanitized`: the thread that switched last
};

}  // namespace hocket::runtime
