// What each operation means: one row for each. Blocking, locking, the search for data races, the recorded
// graphs of the reductions and the texts of schedules ask these rows.
//
// The abstract machine in tests/oracle/ says the same once more, from the standard. It does not look here, so
// that a wrong row shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "operation.hpp"

namespace hocket::runtime {

/// What must be there before an operation can be done.
enum class Need : std::uint8_t {
  nothing,
  lock,                   ///< its object, a lock that this thread may take alone
  shared_lock,            ///< its object, a lock that this thread may take with others
  count,                  ///< its object, a semaphore with a permit
  notification,           ///< where the thread has begun to wait for one
  notification_and_lock,  ///< a notification as above, and then its second object, a lock, if it has one
};

/// What becomes of an operation as long as what it needs is not there.
enum class Otherwise : std::uint8_t {
  waits,             ///< however long that takes
  waits_for_a_time,  ///< if it has been given one; then it fails
  waits_in_queue,    ///< so too, but the thread may leave when it could go on, and may wake up for no reason
  fails,             ///< it does not wait
};

/// What an operation does to the versions of its objects: a write makes a new one, a read depends on it.
enum class Effect : std::uint8_t {
  none,  ///< it has no object
  reads,
  writes,
  writes_both,   ///< its second object too, if it has one
  takes,         ///< writes; reads if it has failed since what it needs is not there
  takes_second,  ///< writes its second object, or its first if it has no other; see operation_of_step()
  exchanges,     ///< writes if the object holds the expected value; otherwise reads
};

/// What is decided when an operation is done, beside who does it.
enum class Decision : std::uint8_t {
  nothing,
  turn,              ///< that others go first
  turn_and_time,     ///< the same, and that time passes if nobody has anything useful to do
  waiter,            ///< which one is woken, if somebody waits
  value,             ///< of the program's own choice
  spurious_failure,  ///< whether it fails for no reason, where that is possible
};

/// How an operation orders threads: its part in the happens-before of the C++ memory model.
enum class Synchronization : std::uint8_t {
  none,            ///< notifications, destruction, the clock, and whatever was tried in vain
  acquire,         ///< comes after every release of the object, shared ones included
  acquire_shared,  ///< comes after every release that is not shared
  release,
  release_shared,
  atomic_load,   ///< that, and the next two, by their memory orders
  atomic_store,  ///< begins a release sequence
  atomic_update  ///< reads and writes, and continues the release sequence
};

/// Whether it is an operation on an atomic.
constexpr bool is_atomic(Synchronization what) {
  return what >= Synchronization::atomic_load;
}

/// The meaning of an operation. What most operations do without comes last, and rows leave it out.
struct Semantics {
  Operation operation;
  Effect effect;
  Synchronization synchronization = Synchronization::none;  ///< if it does not fail: see synchronization_of()
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
}};
// clang-format on

constexpr bool rows_are_in_order() {
  for (std::size_t n = 0; n < kOperations; ++n) {
    if (kSemantics[n].operation != static_cast<Operation>(n)) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

// Without a call, also where HOCKET_INLINED keeps the caller free of hooks.
[[gnu::always_inline]] constexpr const Semantics& semantics_of(Operation operation) {
  return kSemantics[static_cast<std::size_t>(operation)];
}

// ---------------------------------------------------------------------------------------------------------------------
// What follows from the row alone

/// Whether a thread may have to wait before `operation` in the set of an object. (A wait for nothing but a
/// notification is in none: the threads tell who waits.)
constexpr bool may_wait(Operation operation) {
  const Semantics& row = semantics_of(operation);
  return row.needs != Need::nothing && row.needs != Need::notification && row.otherwise != Otherwise::fails;
}

/// Whether the wait before `operation` may be one for a time. (That of a thread which polls the clock may be
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

/// Whether a thread lets others go first by `operation`.
constexpr bool is_yield(Operation operation) {
  const Decision decision = semantics_of(operation).decides;
  return decision == Decision::turn || decision == Decision::turn_and_time;
}

/// How `operation` orders threads when it has done `access` to its object, which is no condition variable.
constexpr Synchronization synchronization_of(Operation operation, Access access) {
  const Semantics& row = semantics_of(operation);
  if (access == Access::read && row.effect == Effect::takes) return Synchronization::none;
  if (access == Access::read && row.effect == Effect::exchanges) return Synchronization::atomic_load;
  return row.synchronization;
}

// ---------------------------------------------------------------------------------------------------------------------
// What depends on the state
//
// A `State` says what a thread finds that is stopped before an operation. The runtime has one of the objects
// as they are, the graph one of what it has recorded:
//   can_take(need)     whether the object has what is to be taken
//   can_take_second()  whether the thread could lock the second object, or there is none
//   is_notified()      whether the thread has been notified, or has not begun to wait, or has left the queue
//   is_gone()          whether what it waits for has been destroyed

/// Whether what `need` says is there.
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
  }
  return true;
}

/// Whether `operation` can be done now.
template <class State>
bool can_be_done(Operation operation, const State& state) {
  const Semantics& row = semantics_of(operation);
  return row.otherwise == Otherwise::fails || is_there(row.needs, state);
}

/// Whether the time can be over for which a thread waits before `operation`. `polls`: it is the time of a
/// poll; `can_go_on`: the thread may do the operation, and nothing guards it.
template <class State>
bool may_expire(Operation operation, const State& state, bool polls, bool can_go_on) {
  // Time may end a poll, but not the wait for a lock that somebody holds.
  if (polls) return !can_go_on && can_be_done(operation, state);
  // Who is in a queue may leave it whether it has been notified or not: what counts is the time when it goes
  // on.
  return !can_go_on || semantics_of(operation).otherwise == Otherwise::waits_in_queue;
}

/// Whether the thread may wake up for no reason.
template <class State>
bool may_wake_spuriously(Operation operation, const State& state) {
  return semantics_of(operation).otherwise == Otherwise::waits_in_queue && !state.is_notified();
}

}  // namespace hocket::runtime
