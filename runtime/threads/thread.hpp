// A logical thread: a thread of the test, run as a fiber.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../objects/object.hpp"
#include "../objects/var.hpp"
#include "../platform/exception_state.hpp"
#include "../platform/fiber_switch.hpp"
#include "../platform/stack_memory.hpp"
#include "../terms/choice.hpp"
#include "../terms/operation.hpp"
#include "../terms/vector_clock.hpp"
#include "../terms/where.hpp"
#include "instrumented_thread.hpp"

namespace hocket::runtime {

struct Store;

/// The operation that a stopped thread will do when it next runs.
struct Pending {
  Operation operation = Operation::none;
  Object* object = nullptr;
  Object* second = nullptr;  ///< condition_reacquire: the mutex
  Where where{};
  bool special = false;       ///< may expire or wake up spuriously
  bool timed = false;         ///< may expire
  bool is_late = false;       ///< timed: only when no thread can go on; see ExecutionRules::late_from
  std::int64_t deadline = 0;  ///< timed: virtual nanoseconds
};

/// What a thread runs: a callable, stored in place or, if it is large, on the heap.
class Task {
 public:
  static constexpr std::size_t kInline = 128;

  /// `call` runs the callable and then destroys it, even if it throws.
  using Call = void (*)(Task&);

  Call call = nullptr;
  void* heap = nullptr;
  alignas(std::max_align_t) std::byte storage[kInline];
};

/// What a pending operation depends on in addition to its objects. Observers read it; without one it is not
/// kept.
struct ObservedOperation {
  std::uint64_t expected = 0;  ///< ObjectKind::fingerprint of an atomic that holds the expected value
  bool may_fail_spuriously = false;
  Object* waits_with = nullptr;  ///< the mutex that a condition wait will release
};

/// What happens to a logical thread within one execution. All of it is reset for the next execution. It is
/// small so that the copy takes a few instructions.
struct ThreadState {
  enum class State : std::uint8_t { fresh, running, stopped, ended };
  enum class Handle : std::uint8_t { open, joined, detached };

  Pending pending;

  State state = State::fresh;
  Mode mode = Mode::run;     ///< how the thread was told to continue
  bool notified = false;     ///< received its notification; also true if it has not begun to wait or left the
                             ///< queue by itself
  bool is_in_a_set = false;  ///< of threads that wait or yield; it leaves the set when it resumes
  Handle handle = Handle::open;  ///< state of the hocket::thread that made it
  bool is_sealed = false;        ///< it has stopped before a sealed step: see SealedSteps
  std::uint16_t locks_held = 0;  ///< mutexes of all kinds; recursive and shared locks count each time

  ThreadSet* waits_in = nullptr;  ///< the object's set that it is in, or nullptr

  // -- What it did since its last yield, to recognise a futile yield; see also reads_since_yield
  std::uint32_t futile_yields = 0;
  bool has_yielded = false;
  bool wrote_since_yield = false;

  // -- hocket::await
  bool is_evaluating = false;  ///< its predicate is being evaluated
  bool is_guarded = false;     ///< its next operation waits until something in `awaited` has changed
  bool polls = false;          ///< it is guarded because it polls, so states count and not versions

  bool ending = false;                     ///< it is being ended
  std::uint16_t preemption_forbidden = 0;  ///< nested no_preemption guards
  std::uint16_t ignores_reads = 0;         ///< nested requests that its plain reads make no data races
  std::uint16_t ignores_writes = 0;

  std::uint32_t threads_created = 0;
  std::uint32_t objects_created = 0;

  // -- Related threads
  struct Thread* starter = nullptr;  ///< its creator, which resumes at this thread's first operation
  struct Thread* joiner = nullptr;   ///< the thread that waits in join for this one
  struct Thread* joins = nullptr;    ///< the thread that this one joins
  struct Thread* ender = nullptr;    ///< the thread that waits until this one has been ended
};
static_assert(
    sizeof(ThreadState) <= 128, "beyond that compilers copy it with a string instruction, which is slow");

struct Thread : ThreadState {
  // -- What a switch touches
  void* context = nullptr;  ///< where the fiber resumes, while it does not run
  platform::ExceptionState exceptions;
  platform::FloatControl float_control;
  std::uint64_t next_action = 0;  ///< names the thread and its next action, for the class hash
  std::uint16_t index = 0;        ///< by order of creation in this execution

  // -- Identity, stable across schedules
  std::uint32_t ordinal = 0;  ///< among the threads of its creator, from 1; 0: the body's own
  std::uint64_t key = 0;
  Thread* creator = nullptr;

  Epoch epoch = 0;                     ///< the current epoch of this thread, for data races; see Races
  const VectorClock* known = nullptr;  ///< what happens before its next action; only while Races is in use

  std::int64_t sleeps_for = 0;  ///< virtual nanoseconds, while it is at a sleep
  std::int64_t seen_clock = 0;  ///< virtual nanoseconds, as of its last access to the clock, or its creator's

  struct Read {
    const Object* object;
    std::uint32_t version;
    bool is_of_sections = false;  ///< a poll saw a section of this lock; what counts are sections that end
    std::uint64_t state = 0;      ///< what a poll has seen: ObjectKind::fingerprint, or sections
    std::uint64_t bits = ~std::uint64_t{0};  ///< those of the state that count

    /// For a poll: whether this is another state than the one that it has seen.
    [[nodiscard]] bool differs_from(std::uint64_t other) const { return ((state ^ other) & bits) != 0; }
    /// For a poll: whether the object now has another state.
    [[nodiscard]] bool has_other_state() const {
      return differs_from((is_of_sections ? object->kind->sections : object->kind->fingerprint)(*object));
    }
  };
  std::vector<Read> reads_since_yield;
  /// What the predicate of its await has accessed, with the version found first, apart from the thread's own
  /// changes; or what it has seen in a round of polling. Kept while it evaluates or waits.
  std::vector<Read> awaited;

  /// Where older values are kept: those that this round of an await, or of a loop that polls, and the one
  /// before have read.
  std::vector<const Store*> read_in_round;
  std::vector<const Store*> read_in_last_round;

  /// Its operation is about to wait in this set of an object's.
  void wait_in(ThreadSet& waiting) {
    waiting.insert(index);
    waits_in = &waiting;
    is_in_a_set = true;
  }

  ObservedOperation observed;       ///< what is kept of its pending operation for an observer
  InstrumentedThread instrumented;  ///< what is kept of it while it runs code that was not written for Hocket

  Task task;
  std::uintptr_t control_block = 0;  ///< see HostThreads; 0: the OS thread's own
  platform::StackMemory stack;
  std::size_t usable_stack = 0;  ///< bytes; 0: there is no stack, or it must be prepared again
  void* sanitizer_stack = nullptr;
};

/// Whether `a` comes before `b` in the order of stable names: creators first, then by ordinal, as in a family
/// tree.
bool named_before(const Thread& a, const Thread& b);

}  // namespace hocket::runtime
