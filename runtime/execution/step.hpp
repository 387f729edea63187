// What the code under test does in its steps, as the public types and the interception of unmodified code see
// it.
//
// These functions stand in front of the parts of Execution (execution.hpp). Who includes this file does not
// see the parts, so an edit of a part compiles the runtime and not every program. What each step does is
// inlined here and reads nothing but `run`, its arguments and `noted_orders`; the rest is out of line
// (step.cpp).
//
// They are called on a logical thread's fiber, between the beginning and the end of Execution::run_body().
// Those that return bool return false when the execution is being ended; the caller must then leave the
// modelled state alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../objects/synchronization.hpp"
#include "../objects/var.hpp"
#include "../platform/os_thread.hpp"
#include "../races/weaker_orders.hpp"
#include "../terms/action_hash.hpp"
#include "../terms/choice.hpp"
#include "../terms/failure.hpp"
#include "../terms/inlined.hpp"
#include "../terms/operation.hpp"
#include "../terms/thread_set.hpp"
#include "../terms/where.hpp"
#include "../threads/thread.hpp"
#include "fibers.hpp"
#include "run.hpp"

namespace hocket::runtime {

struct AtomicRequest;
struct Race;
struct Store;

/// Whether the calling code runs under control: on the fiber of a logical thread.
[[gnu::always_inline]] inline bool is_controlled() {
  return platform::os_thread_id() == run.os_thread;
}

/// For assertions: whether the calling code is a thread of the body, in its turn.
[[nodiscard]] inline bool is_on_body() {
  return is_controlled() && run.current != run.driver &&
         (run.ending || run.current->state == Thread::State::running);
}

/// Called for an operation of code that is not under control. If a search runs on another OS thread, its
/// objects must not be touched from here, so this ends the process with a clear message.
void outside_operation();

/// The duration, in virtual nanoseconds, of an operation that is not timed.
inline constexpr std::int64_t kForever = -1;

/// The clock as an object: now() reads it, and time that passes is a write.
[[nodiscard]] Object& clock_object();

namespace step {

// -- Objects begin and end

void construct(Object& object, Where where);
/// The step that ends the life of `object`.
void destroy(Object& object, Where where);
void forget_known(Object& object);
/// Ends an object whose destruction is not a step.
inline void forget(Object& object) {
  if (object.place_outside != 0 || run.counts_objects) [[unlikely]]
    forget_known(object);
  object.end_life();
}
/// Lets a report about a later use of `object` say where it ended. Only while recording.
void note_end_of(const Object& object, Where where);
/// The first use of `object` in this execution. Returns whether it is valid.
[[nodiscard]] bool first_touch(Object& object, Operation operation, Where where);
/// Called before an access that is not a step: whether the object is valid.
[[nodiscard]] inline bool touch(Object& object, Operation operation, Where where) {
  return object.life == run.life || first_touch(object, operation, where);
}

// -- Stopping before an operation, until it is the thread's turn

/// Stops the current thread before `operation`. Returns the thread to switch to.
[[nodiscard]] Thread& stop_before(Object& object, Operation operation, bool ready, Where where);
[[nodiscard]] bool resume_while_ending();
/// Called after switching back to this thread: whether the execution is still running.
[[nodiscard]] inline bool resume() {
  if (run.ending) [[unlikely]]
    return resume_while_ending();
  return true;
}
/// On the fast path: the current thread keeps running.
[[gnu::always_inline]] inline void log_staying() {
  const unsigned self = run.current->index;
  run.log[run.position] = {run.enabled.low_word(), static_cast<std::uint32_t>(run.hash.low),
      static_cast<std::uint16_t>(thread_code(self)), static_cast<std::uint8_t>(self), LogEntry::narrow, 1, 0,
      0};
  ++run.position;
}
/// Leaves the fast path.
[[nodiscard, gnu::always_inline]] inline bool stop_and_resume(
    Object& object, Operation operation, bool ready, Where where) {
  Thread& next = stop_before(object, operation, ready, where);
  // The result of a choice among several threads cannot be predicted, and a jump to the current fiber costs
  // less than a mispredicted branch.
  if (run.enabled.has_several_low() || &next != run.current) switch_to(next);
  return resume();
}

/// Stops the current thread before `operation` on `object` and returns when it is the thread's turn.
/// `ready` says whether the operation could complete now.
[[nodiscard]] HOCKET_INLINED inline bool arrive(
    Object& object, Operation operation, bool ready, Where where) {
  if (object.life != run.life) [[unlikely]] {
    if (!first_touch(object, operation, where)) return false;
  }
  if (run.position < run.stop && ready) [[likely]] {
    log_staying();
    return true;
  }
  return stop_and_resume(object, operation, ready, where);
}
/// Like arrive(), for an operation that may have to wait. `waiting` is the object's set of waiting threads.
[[nodiscard]] HOCKET_INLINED inline bool arrive_to_wait(
    Object& object, Operation operation, bool ready, ThreadSet& waiting, Where where) {
  if (object.life != run.life) [[unlikely]] {
    if (!first_touch(object, operation, where)) return false;
  }
  if (run.position < run.stop && ready) [[likely]] {
    log_staying();
    return true;
  }
  run.current->wait_in(waiting);
  return stop_and_resume(object, operation, ready, where);
}
/// Like arrive(), for an operation that takes what `object` provides and may expire. Thread::mode then says
/// how the wait ended.
[[nodiscard]] bool arrive_timed(Object& object, Operation operation, std::int64_t nanoseconds, Where where);

// Effects that enable or disable other threads. They take constant time unless a timed wait is pending, and
// then there is a reason for the slow path.

/// Looks again at what these threads wait for, if any thread's wait may expire or end spuriously.
void refresh_special(const ThreadSet& waiting);

inline void now_unavailable(const ThreadSet& waiting) {
  if (waiting.empty()) return;
  run.enabled -= waiting;
  if (run.common_until == 0) [[unlikely]]
    refresh_special(waiting);
}
inline void now_available(const ThreadSet& waiting) {
  if (waiting.empty()) return;
  run.enabled |= waiting;
  if (run.common_until == 0) [[unlikely]]
    refresh_special(waiting);
}

// -- Actions: what a step adds to the class hash, and whom it notifies

// The rest of act(): for the order of threads, and the race that the operation makes, or nullptr; and for all
// who are notified.
const Race* acted(Object& object, Synchronization what, std::memory_order order, const void* code);
void fail_by_race(const Race& race);
[[gnu::noinline]] void attend_to_all(
    Object& object, Operation operation, Access access, std::memory_order order);

/// Adds an action, which is an access of a step to an object, to the class hash. A write moves the object to
/// its next version. `order` matters for data races only.
HOCKET_INLINED inline void act(
    Object& object, Operation operation, Access access, std::memory_order order = std::memory_order_seq_cst) {
  object.version += access == Access::write ? 1 : 0;
  add_action(*run.current, action_word(object.key, object.version, operation, access));
  if (run.attention != Attention::none) [[unlikely]] {
    if (run.attention == Attention::to_order) [[likely]] {
      const void* const code = run.current->instrumented.caller;
      const Race* const race = acted(object, synchronization_of(object, operation, access), order, code);
      if (race != nullptr) [[unlikely]]
        fail_by_race(*race);
    } else {
      attend_to_all(object, operation, access, order);
    }
  }
}
/// Adds an action that touches no object, or the outcome of a choice.
void act_alone(Operation operation, std::uint64_t outcome);
/// Says what value the compare-exchange that the current thread is about to stop before compares with.
inline void expect(std::uint64_t fingerprint, bool weak) {
  run.current->observed.expected = fingerprint;
  run.current->observed.may_fail_spuriously = weak && run.options.spurious_failures;
}

/// The calls that have asked for an order weaker than seq_cst and that WeakerOrders already knows. Each is
/// stored as a hash, in the slot given by its upper bits.
class NotedOrders {
 public:
  [[nodiscard]] bool has(std::uint64_t key) const { return keys_[key >> kShift] == key; }
  void add(std::uint64_t key) { keys_[key >> kShift] = key; }
  void clear() { *this = {}; }

 private:
  static constexpr unsigned kBits = 9;
  static constexpr unsigned kShift = 64 - kBits;
  std::uint64_t keys_[std::size_t{1} << kBits] = {};
};
extern constinit NotedOrders noted_orders;
[[gnu::noinline, gnu::cold]] void note_order_newly(
    const Object* object, std::uint64_t asked, Where where, std::uint64_t key);

/// Notes an operation of the current thread if it is weaker than seq_cst: see WeakerOrders. `where` is the
/// call that asked for it; if it is no place, Thread::caller identifies the code. `on_failure` equals
/// `order` except for compare-exchanges. `object` is nullptr for a fence.
HOCKET_INLINED inline void note_order(const Object* object, Operation operation, std::memory_order order,
    std::memory_order on_failure, Where where) {
  if (order == std::memory_order_seq_cst && on_failure == std::memory_order_seq_cst) [[likely]]
    return;
  const bool keeps_newest_only = object != nullptr && !object->kind->keeps_stores;
  const std::uint64_t asked = AskedOrder::packed(operation, order, on_failure, keeps_newest_only);
  const void* const code = where.line() != 0 ? where.file_name() : run.current->instrumented.caller;
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  const std::uint64_t key =
      (reinterpret_cast<std::uintptr_t>(code) * kFactor) ^ ((asked + where.line()) * kFactor);
  if (!noted_orders.has(key)) [[unlikely]]
    note_order_newly(object, asked, where, key);
}
/// A fence, which is not a step.
void fence(std::memory_order order, Where where);

// -- Accesses to plain data, which are no steps

void access_newly(Var& var, VarAccess access, Where where);
[[gnu::noinline]] void prepare_newly(Var& var);

/// Like access(), while accesses_are_simple, for a var that this execution has already touched. Returns
/// false if the quick checks cannot show that everything the access could race with is ordered before it.
[[nodiscard, gnu::always_inline]] inline bool access_in_order(Var& var, VarAccess access, const void* code) {
  VarShadow& shadow = var.shadow;
  const Epoch now = run.current->epoch;
  if (shadow.has_seen(access, now)) [[likely]]
    return true;
  if (!shadow.is_the_last(now) && !shadow.is_all_before<Threads::few>(*run.current->known)) [[unlikely]]
    return false;
  if (access == VarAccess::read) {
    shadow.read = now;
    shadow.read_by = code;
  } else {
    shadow.note_write(now, code);
  }
  return true;
}
/// Fails the execution if the access makes a data race.
[[gnu::always_inline]] inline void access(Var& var, VarAccess access, Where where) {
  if (!touch(var, Operation::none, where)) return;
  if (var.shadow.execution == run.life) [[likely]] {
    if (var.shadow.has_seen(access, run.current->epoch)) [[likely]]
      return;
    // The code that makes this access is already known, without a call.
    if (run.accesses_are_simple && !is_atomic(access) && run.current->instrumented.caller != nullptr) {
      if (access_in_order(var, access, run.current->instrumented.caller)) return;
    }
  }
  access_newly(var, access, where);
  __asm__ volatile("");  // no tail call: access_newly() reads its return address
}
/// Called before an access to `var` as an atomic, which is a step.
[[gnu::always_inline]] inline void prepare(Var& var) {
  if (!run.looks_for_races || var.life != run.life || var.shadow.execution != run.life) [[unlikely]]
    prepare_newly(var);
}

// -- Choices

/// The outcome of `hocket::choose(count)`.
std::uint32_t choose(std::uint32_t count, Where where);
/// Whether a weak compare-exchange that could succeed fails spuriously.
[[nodiscard]] bool fails_spuriously(Where where);
/// Between the two calls, which may be nested, the current thread is preempted only where it blocks.
void forbid_preemption();
void allow_preemption();

// Atomic operations that may read an older store than the newest: see StoreChoices.

[[nodiscard]] Store* choose_store(AtomicRequest& request);
/// Whether a compare-exchange that finds what it expects in the store that was chosen last fails all the
/// same.
[[nodiscard]] bool fails_at_chosen_store(Where where);
bool act_on_store(const AtomicRequest& request, Store& chosen, bool writes, const void* desired);

// -- Waiting: see Blocking and Awaiting

[[nodiscard]] bool condition_wait(ConditionVariable& condition, Mutex* mutex, std::int64_t nanoseconds,
    bool& expired, const std::function<void()>* unlock, Where where);
void condition_notify(ConditionVariable& condition, bool all, Where where);
[[nodiscard]] bool atomic_wait(Object& cell, bool (*is_unchanged)(const void*), const void* context,
    std::memory_order order, std::int64_t nanoseconds, bool& expired, Where where);
[[nodiscard]] bool atomic_wait(AtomicRequest request);
void atomic_notify(Object& cell, bool all, Where where);
/// The virtual time in nanoseconds. Reading it is a step.
std::int64_t clock_now(Where where);
[[nodiscard]] bool yield(Operation operation, std::int64_t nanoseconds, Where where);
void begin_await();
[[nodiscard]] bool await_change(Where where);
void end_await();

// -- Threads: see ThreadLives

[[nodiscard]] Thread* create_thread(Where where);
void start(Thread& thread);
void join(Thread& thread, Where where);
void detach(Thread& thread, Where where);

// -- Failures: see Verdict

void fail(FailureKind kind, const std::string& message, Where where);
void fail_in_destructor(FailureKind kind, const std::string& message, Where where);
void drop();
void end_first(Thread& thread);

}  // namespace step

inline Object::Object(const ObjectKind& the_kind, FoundAt place)
    : life(run.life), key(place.key), kind(&the_kind), version(0), place_outside(0), clocks(0) {}
inline Object::Object(const ObjectKind& the_kind, Where where)
    : kind(&the_kind), version(0), place_outside(0), clocks(0) {
  step::construct(*this, where);
}

}  // namespace hocket::runtime
