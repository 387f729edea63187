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
#include "looks.hpp"
#include "standard_lock.hpp"

namespace hocket::runtime {

/// The operation that a stopped thread will do when it next runs.
struct Pending {
  Operation operation = Operation::none;
  Object* object = nullptr;
  Object* second = nullptr;  ///< condition_reacquire: the mutex
  Where where{};
  bool special = false;       ///< may expire or wake up spuriously
  bool timed = false;         ///< may expire
  std::int64_t deadline = 0;  ///< timed: virtual nanoseconds
};

/// What a thread runs: a callable in place, or on the heap when it is large.
class Task {
 public:
  static constexpr std::size_t kInline = 128;

  /// `call` runs the callable and then destroys it, also when it throws.
  using Call = void (*)(Task&);

  Call call = nullptr;
  void* heap = nullptr;
  alignas(std::max_align_t) std::byte storage[kInline];
};

/// What happens to a logical thread within one execution. All of it begins anew with the next; being short,
/// it is copied in a few instructions.
struct ThreadState {
  enum class State : std::uint8_t { fresh, running, stopped, ended };
  enum class Handle : std::uint8_t { open, joined, detached };

  Pending pending;

  State state = State::fresh;
  Mode mode = Mode::run;  ///< how it was told to go on
  bool notified = false;  ///< of what it waits for; true too if it has not begun, or left the queue by itself
  bool is_in_a_set = false;      ///< of threads that wait or yield; it leaves when it goes on
  Handle handle = Handle::open;  ///< what has become of the hocket::thread that made it
  std::uint16_t locks_held = 0;  ///< of mutexes of all kinds, recursive and shared ones each time

  ThreadSet* waits_in = nullptr;  ///< of an object, while it is in that set

  // -- what it did since its last yield, to tell a futile one; and reads_since_yield
  std::uint32_t futile_yields = 0;
  bool has_yielded = false;
  bool wrote_since_yield = false;

  // -- hocket::await
  bool is_evaluating = false;  ///< its predicate
  bool is_guarded = false;     ///< its next operation waits until something in `awaited` has changed
  bool polls = false;          ///< it is guarded because it polls: what counts are states, not versions

  bool ending = false;                     ///< it is being ended
  std::uint16_t preemption_forbidden = 0;  ///< nested no_preemption guards
  std::uint16_t ignores_reads = 0;         ///< nested demands that its plain reads make no data races
  std::uint16_t ignores_writes = 0;

  std::uint32_t threads_created = 0;
  std::uint32_t objects_created = 0;

  // -- whom it concerns
  struct Thread* starter =
      nullptr;  ///< its creator, which goes on when this thread reaches its first operation
  struct Thread* joiner = nullptr;  ///< the thread that waits in join for this one
  struct Thread* joins = nullptr;   ///< the thread that this one waits for in join
  struct Thread* ender = nullptr;   ///< the thread that waits until this one has been ended
};
static_assert(
    sizeof(ThreadState) <= 128, "beyond that compilers copy it with a string instruction, which is slow");

struct Thread : ThreadState {
  // -- what a switch touches
  void* context = nullptr;  ///< where the fiber goes on, while it does not run
  platform::ExceptionState exceptions;
  platform::FloatControl float_control;
  std::uint64_t next_action = 0;  ///< names the thread and the place of its next action, for the class hash
  std::uint16_t index = 0;        ///< by order of creation in this execution

  // -- who it is: stable across schedules
  std::uint32_t ordinal = 0;  ///< among the threads of its creator, from 1; 0: the body's own
  std::uint64_t key = 0;
  Thread* creator = nullptr;

  Epoch epoch = 0;                     ///< this thread now, for data races; see Races
  const VectorClock* known = nullptr;  ///< what happens before its next action; while Races is at work

  std::int64_t seen_clock = 0;  ///< virtual nanoseconds, when it last touched the clock, or its creator had

  struct Read {
    const Object* object;
    std::uint32_t version;
    bool is_of_sections =
        false;                ///< a poll has been in a section of this lock: what counts is those that end
    std::uint64_t state = 0;  ///< of what a poll has seen: ObjectKind::fingerprint, or sections

    /// Of a poll: whether the object is not in that state.
    [[nodiscard]] bool has_other_state() const {
      return (is_of_sections ? object->kind->sections : object->kind->fingerprint)(*object) != state;
    }
  };
  std::vector<Read> reads_since_yield;
  /// What the predicate of its await has touched, with the version that it found first, but for changes of
  /// its own; or what it has seen in a round of polling. Kept while it evaluates or waits.
  std::vector<Read> awaited;

  // -- what its pending operation depends on beside the object; kept only while an observer listens
  std::uint64_t expected = 0;  ///< ObjectKind::fingerprint of an atomic that holds the expected value
  bool may_fail_spuriously = false;
  Object* waits_with = nullptr;  ///< the mutex that its pending condition wait will release

  /// Further objects in the same memory, which its pending operation accesses in the same mode as its object.
  std::vector<Object*> parts_touched;

  /// The machine instruction for which the runtime was called, where the code of the call itself is not the
  /// user's; or nullptr.
  const void* caller = nullptr;
  /// The last call that did so: the stack pointer of the code that called, and where the call returns to. 0:
  /// not known.
  std::uintptr_t entered_at = 0;
  const void* entered_from = nullptr;

  StandardLock standard_lock;
  Looks looks;
  std::uint32_t plain_writes = 0;  ///< so far, in instrumented code, beside its own stack
  std::uint64_t values_read = 0;   ///< a hash of what it has found in plain data since its last look

  Task task;
  std::uintptr_t control_block = 0;  ///< see ThreadHost; 0: that of the OS thread
  platform::StackMemory stack;
  std::size_t usable_stack = 0;  ///< bytes; 0: there is none, or it must be prepared afresh
  void* sanitizer_stack = nullptr;
};

/// Whether `a` comes before `b` in the order of stable names: creators first, then by ordinal, as in a family
/// tree.
bool named_before(const Thread& a, const Thread& b);

}  // namespace hocket::runtime
