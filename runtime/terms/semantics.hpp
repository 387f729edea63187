// What each operation means, one row for each. Blocking, locking, race detection, the recorded graphs of the
// reductions and the texts of schedules use these rows.
//
// The abstract machine in tests/oracle/ states the same independently, from the standard. It does not use
// this table, so that a wrong row is noticed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "operation.hpp"

namespace hocket::runtime {

/// What must be available before an operation can be done.
enum class Need : std::uint8_t {
  nothing,
  lock,                   ///< its object, a lock, can be taken exclusively by this thread
  shared_lock,            ///< its object, a lock, can be taken in shared mode by this thread
  count,                  ///< its object, a semaphore, has a permit
  notification,           ///< a notification, if the thread has begun to wait for one
  notification_and_lock,  ///< the same, and then its second object, a lock, if it has one
  time,                   ///< that its time is over: it is never done before
};

/// What happens to an operation while what it needs is not available.
enum class Otherwise : std::uint8_t {
  waits,             ///< without a time limit
  waits_for_a_time,  ///< if a time limit is given; then it fails
  waits_in_queue,    ///< the same, but the thread may leave although it could complete, or wake up spuriously
  fails,             ///< it does not wait
};

/// What an operation does to the versions of its objects: a write makes a new one, a read depends on it.
enum class Effect : std::uint8_t {
  none,  ///< has no object
  reads,
  writes,
  writes_both,   ///< also writes its second object, if it has one
  takes,         ///< writes; only reads if it failed because what it needs was not available
  takes_second,  ///< writes its second object, or its first if it has only one; see operation_of_step()
  exchanges,     ///< writes if the object holds the expected value; otherwise reads
};

/// What is decided when an operation is done, in addition to which thread does it.
enum class Decision : std::uint8_t {
  nothing,
  turn,              ///< that other threads run first
  turn_and_time,     ///< the same, and that time passes if no thread has useful work to do
  waiter,            ///< which waiter is woken, if there is one
  waiters,           ///< of each of the waiters, one after the other, whether the operation passes it over
  value,             ///< a value that the program asks for
  spurious_failure,  ///< whether it fails spuriously, where that is possible
};

/// How an operation orders threads: its part in the happens-before of the C++ memory model.
enum class Synchronization : std::uint8_t {
  none,            ///< notifications, destruction, the clock, and attempts that failed
  acquire,         ///< comes after every release of the object, shared ones included
  acquire_shared,  ///< comes after every release that is not shared
  release,
  release_shared,
  atomic_load,   ///< this and the next two act according to their memory orders
  atomic_store,  ///< begins a release sequence
  atomic_update  ///< reads and writes, and continues the release sequence
};

/// Whether `what` belongs to an operation on an atomic.
constexpr bool is_atomic(Synchronization what) {
  return what >= Synchronization::atomic_load;
}

/// The meaning of an operation. Members that have the default value in most rows come last, so rows can leave
/// them out.
struct Semantics {
  Operation operation;
  Effect effect;
  Synchronization synchronization = Synchronization::none;  ///< on success: see synchronization_of()
  Need needs = Need::nothing;
  Otherwise otherwise = Otherwise::waits;
  Decision decides = Decision::nothing;
};

// clang-format off
inline constexpr std::array<Semantics, kOperations> kSemantics{{
    {Operation::none,                       Effect::none},
    {Operation::atomic_load,                Effect::reads,         Synchronization::atomic_load},
    {Operation::atomic_store,               Effect::writes,        Synchronization::atomic_store},
    {Operation::atomic_exchange,            Effect::writes,        Synchronization::atomic_update},
    {Operation::atomic_fetch_add,           Effect::writes,        Synchronization::atomic_update},
    {Operation::atomic_fetch_sub,           Effect::writes,        Synchronization::atomic_update},
    {Operation::atomic_fetch_and,           Effect::writes,        Synchronization::atomic_update},
    {Operation::atomic_fetch_or,            Effect::writes,        Synchronization::atomic_update},
    {Operation::atomic_fetch_xor,           Effect::writes,        Synchronization::atomic_update},
    {Operation::atomic_compare_exchange,    Effect::exchanges,     Synchronization::atomic_update,  Need::nothing,                Otherwise::waits,             Decision::spurious_failure},
    {Operation::atomic_wait,                Effect::reads,         Synchronization::atomic_load,    Need::notification,           Otherwise::waits_for_a_time},
    {Operation::atomic_notify_one,          Effect::writes,        Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::waiter},
    {Operation::atomic_notify_all,          Effect::writes},
    {Operation::mutex_lock,                 Effect::takes,         Synchronization::acquire,        Need::lock,                   Otherwise::waits},
    {Operation::mutex_try_lock,             Effect::takes,         Synchronization::acquire,        Need::lock,                   Otherwise::fails},
    {Operation::mutex_try_lock_for,         Effect::takes,         Synchronization::acquire,        Need::lock,                   Otherwise::waits_for_a_time},
    {Operation::mutex_unlock,               Effect::writes,        Synchronization::release},
    {Operation::mutex_lock_shared,          Effect::takes,         Synchronization::acquire_shared, Need::shared_lock,            Otherwise::waits},
    {Operation::mutex_try_lock_shared,      Effect::takes,         Synchronization::acquire_shared, Need::shared_lock,            Otherwise::fails},
    {Operation::mutex_try_lock_shared_for,  Effect::takes,         Synchronization::acquire_shared, Need::shared_lock,            Otherwise::waits_for_a_time},
    {Operation::mutex_unlock_shared,        Effect::writes,        Synchronization::release_shared},
    {Operation::condition_wait,             Effect::writes_both,   Synchronization::release},
    {Operation::condition_reacquire,        Effect::takes_second,  Synchronization::acquire,        Need::notification_and_lock,  Otherwise::waits_in_queue},
    {Operation::condition_notify_one,       Effect::writes,        Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::waiter},
    {Operation::condition_notify_all,       Effect::writes},
    {Operation::semaphore_acquire,          Effect::takes,         Synchronization::acquire,        Need::count,                  Otherwise::waits},
    {Operation::semaphore_try_acquire,      Effect::takes,         Synchronization::acquire,        Need::count,                  Otherwise::fails},
    {Operation::semaphore_try_acquire_for,  Effect::takes,         Synchronization::acquire,        Need::count,                  Otherwise::waits_for_a_time},
    {Operation::semaphore_release,          Effect::writes,        Synchronization::release},
    {Operation::clock_now,                  Effect::reads},
    {Operation::thread_yield,               Effect::none,          Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::turn},
    {Operation::thread_sleep,               Effect::none,          Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::turn_and_time},
    {Operation::choose,                     Effect::none,          Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::value},
    {Operation::destroy,                    Effect::writes},
    {Operation::process_exit,               Effect::writes},
    {Operation::memory_read,                Effect::reads},
    {Operation::memory_write,               Effect::writes},
    {Operation::annotation_happens_before,  Effect::writes,        Synchronization::release},
    {Operation::annotation_happens_after,   Effect::reads,         Synchronization::acquire},
    {Operation::semaphore_value,            Effect::reads},
    {Operation::poll_to_end,                Effect::none,          Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::value},
    {Operation::model_step,                 Effect::none},
    {Operation::thread_late_sleep,          Effect::none,          Synchronization::none,           Need::time,                   Otherwise::waits_for_a_time},
    {Operation::futex_wake,                 Effect::writes,        Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::waiters},
    {Operation::futex_requeue,              Effect::writes,        Synchronization::none,           Need::nothing,                Otherwise::waits,             Decision::waiters},
    {Operation::futex_wake_op,              Effect::writes,        Synchronization::atomic_update,  Need::nothing,                Otherwise::waits,             Decision::waiters},
}};
// clang-format on

constexpr bool rows_are_in_order() {
  for (std::size_t n = 0; n < kOperations; ++n) {
    if (kSemantics[n].operation != static_cast<Operation>(n)) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

// Always inlined, so that callers that HOCKET_INLINED keeps free of hooks stay so.
[[gnu::always_inline]] constexpr const Semantics& semantics_of(Operation operation) {
  return kSemantics[static_cast<std::size_t>(operation)];
}

// ---------------------------------------------------------------------------------------------------------------------
// What follows from the row alone

/// Whether a thread may have to wait before `operation` in the waiting set of an object. (A wait for only a
/// notification uses no such set: the threads themselves record it.)
constexpr bool may_wait(Operation operation) {
  const Semantics& row = semantics_of(operation);
  const bool needs_an_object =
      row.needs != Need::nothing && row.needs != Need::notification && row.needs != Need::time;
  return needs_an_object && row.otherwise != Otherwise::fails;
}

/// Whether the wait before `operation` may be timed. (A thread that polls the clock may have a timed wait
/// before any operation.)
constexpr bool may_expire(Operation operation) {
  const Otherwise otherwise = semantics_of(operation).otherwise;
  return otherwise == Otherwise::waits_for_a_time || otherwise == Otherwise::waits_in_queue;
}

/// Whether a thread that has begun to wait stops before `operation` until it is notified.
constexpr bool needs_notification(Operation operation) {
  const Need need = semantics_of(operation).needs;
  return need == Need::notification || need == Need::notification_and_lock;
}

/// Whether `operation` lets other threads run first.
constexpr bool is_yield(Operation operation) {
  const Decision decision = semantics_of(operation).decides;
  return decision == Decision::turn || decision == Decision::turn_and_time;
}

/// How `operation` orders threads when it has done `access` to its object, which is not a condition variable.
constexpr Synchronization synchronization_of(Operation operation, Access access) {
  const Semantics& row = semantics_of(operation);
  if (access == Access::read && row.effect == Effect::takes) return Synchronization::none;
  if (access == Access::read && row.effect == Effect::exchanges) return Synchronization::atomic_load;
  return row.synchronization;
}

// ---------------------------------------------------------------------------------------------------------------------
// What depends on the state
//
// A `State` describes what a thread that is stopped before an operation finds. The runtime has a State for
// the current objects, and the graph has one for what it has recorded:
//   can_take(need)     whether the object has what is to be taken
//   can_take_second()  whether the thread could lock the second object, or there is none
//   is_notified()      whether the thread has been notified, or has not begun to wait, or has left the queue
//   is_gone()          whether what it waits for has been destroyed

/// Whether what `need` requires is available.
template <class State>
bool is_there(Need need, const State& state) {
  switch (need) {
    case Need::nothing:
      return true;
    case Need::lock:
    case Need::shared_lock:
    case Need::count:
      return state.can_take(need) || state.is_gone();
    case Need::notification:
      return state.is_notified() || state.is_gone();
    case Need::notification_and_lock:
      return (state.is_notified() && state.can_take_second()) || state.is_gone();
    case Need::time:
      return false;
  }
  return true;
}

/// Whether `operation` can be done now.
template <class State>
bool can_be_done(Operation operation, const State& state) {
  const Semantics& row = semantics_of(operation);
  return row.otherwise == Otherwise::fails || is_there(row.needs, state);
}

/// Whether the time limit of a thread that waits before `operation` can be over. `polls` means that it is the
/// time limit of a poll. `can_go_on` means that the thread may do the operation and that no guard blocks it.
template <class State>
bool may_expire(Operation operation, const State& state, bool polls, bool can_go_on) {
  // Time may end a poll, but not the wait for a lock that is held.
  if (polls) return !can_go_on && can_be_done(operation, state);
  // A thread in a queue may leave it whether it has been notified or not. What counts is the time at which it
  // resumes.
  return !can_go_on || semantics_of(operation).otherwise == Otherwise::waits_in_queue;
}

/// Whether the thread may wake up spuriously.
template <class State>
bool may_wake_spuriously(Operation operation, const State& state) {
  return semantics_of(operation).otherwise == Otherwise::waits_in_queue && !state.is_notified();
}

}  // namespace hocket::runtime
