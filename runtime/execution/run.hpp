// The hot state of the execution that runs, as plain data, so that the hot path accesses it directly.
//
// Everything that a step may need is here, in one place, because the path that every controlled operation
// takes must cost a few nanoseconds. The parts of Execution read it, and each has its own data besides.
#pragma once

#include <cstdint>

#include "../objects/object.hpp"
#include "../platform/exception_state.hpp"
#include "../terms/action_hash.hpp"
#include "../terms/choice.hpp"
#include "../terms/inlined.hpp"
#include "../terms/thread_set.hpp"
#include "../threads/thread.hpp"
#include "execution_options.hpp"

namespace hocket::runtime {

struct ColdState;
struct Host;

/// What needs to see actions, in addition to the class hash. Grows while an execution runs.
enum class Attention : std::uint8_t {
  none,
  to_order,  ///< only the race detector
  to_all     ///< also a recording, an observer, seals, or threads that have yielded or wait for a predicate
};

/// What begins anew with each execution.
struct OfExecution {
  Thread* current = nullptr;
  unsigned last = 0;  ///< the thread that made the last step
  /// And that step was a yield. At the beginning no step has been made yet: the first choice is free.
  bool last_yielded = true;
  std::uint32_t position = 0;      ///< choice points reached so far
  std::uint32_t stop = 0;          ///< the position at which the fast path ends; 0: no step takes it
  std::uint32_t common_until = 0;  ///< the position at which the common path ends; 0: no step takes it
  ClassHash hash;
  ThreadSet enabled;
  Chooser* chooser = nullptr;
  Attention attention = Attention::none;
  Attention attention_without_observer = Attention::none;
  bool ending = false;  ///< the verdict on this execution is final; its threads are being ended
  /// The verdict on this execution is final, and its threads run to their ends: see Verdict::run_out().
  bool running_out = false;
  bool recording = false;
  bool keeps_stores = false;     ///< ExecutionRules::keeps_stores
  bool looks_for_races = false;  ///< RaceChecks::is_looking()
  /// True while a plain access needs nothing but the race check: there is no recording, plain accesses are
  /// not steps, and there are at most VectorClock::kNear threads.
  bool accesses_are_simple = false;
  bool counts_objects = false;  ///< objects that are never destroyed are to be reported
  bool counts_memory = false;   ///< memory that is never freed is to be reported
  bool notes_lives = false;     ///< objects are noted when they are made
  unsigned own_memory = 0;      ///< nested OwnMemory guards (allocations.hpp)
};

/// What stays from one execution to the next.
struct OfProcess {
  std::uintptr_t os_thread = 0;       ///< the OS thread on which an execution runs now, or 0
  Life life = Life::first_execution;  ///< Object::life of every object in order
  LogEntry* log = nullptr;
  platform::ExceptionState* exception_state = nullptr;
  const Host* host = nullptr;       ///< may be nullptr; set before the first execution
  bool sanitized = false;           ///< AddressSanitizer must be notified of fiber switches
  bool switches_with_care = false;  ///< `sanitized`, or logical threads have control blocks of their own
  std::uint64_t first_touches = 0;  ///< how often code not written for Hocket has touched new memory
  Thread* driver = nullptr;         ///< the OS thread outside executions
  ColdState* cold = nullptr;        ///< the state that is not plain data; made by the first run, never freed
  Thread* threads[kMaxThreads] = {};  ///< by index: see ThreadTable
};

/// Has pages of memory for itself, so that another process can share them: see Execution::move_run_to().
struct alignas(4096) Run : OfExecution, OfProcess {
  /// The size of a log in bytes. Only the pages in use are committed.
  static constexpr std::size_t kLogBytes = (std::size_t{kMaxPositions} + 1) * sizeof(LogEntry);

  /// What was asked for. Verdict and Pace change some of it while an execution runs.
  ExecutionOptions options;

  /// Another execution begins.
  void begin(Chooser& by, const ExecutionOptions& asked);

  void raise_attention(Attention to) {
    if (attention < to) attention = to;
    if (attention_without_observer < to) attention_without_observer = to;
  }
  [[nodiscard]] bool verdict_is_final() const { return ending || running_out; }
  /// Where the execution is recorded, or nullptr.
  [[nodiscard]] Trace* trace() const { return options.trace; }
  /// Whether `serial` is that of the running execution, so that the threads it created are still valid.
  [[nodiscard]] bool is_current_execution(Life serial) const { return serial == life; }
};

extern constinit Run run;

/// Adds the next action of the thread, which is `word`, to the class hash. Returns the name of the action.
HOCKET_INLINED inline std::uint64_t add_action(Thread& by, std::uint64_t word) {
  const std::uint64_t name = by.next_action;
  run.hash.add(name, word);
  by.next_action += kActionStride;
  return name;
}

}  // namespace hocket::runtime
