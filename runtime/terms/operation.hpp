// The operations that a logical thread can stop before; each step begins with one. Their meaning is in
// semantics.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::runtime {

/// Every kind of operation on a shared object. The order affects the class hash and nothing else.
enum class Operation : std::uint8_t {
  none,
  atomic_load,
  atomic_store,
  atomic_exchange,
  atomic_fetch_add,
  atomic_fetch_sub,
  atomic_fetch_and,
  atomic_fetch_or,
  atomic_fetch_xor,
  atomic_compare_exchange,
  atomic_wait,
  atomic_notify_one,
  atomic_notify_all,
  mutex_lock,
  mutex_try_lock,
  mutex_try_lock_for,
  mutex_unlock,
  mutex_lock_shared,
  mutex_try_lock_shared,
  mutex_try_lock_shared_for,
  mutex_unlock_shared,
  condition_wait,       ///< releases the mutex and enqueues the thread
  condition_reacquire,  ///< the end of a wait: stops waiting and takes the mutex again
  condition_notify_one,
  condition_notify_all,
  semaphore_acquire,
  semaphore_try_acquire,
  semaphore_try_acquire_for,
  semaphore_release,
  clock_now,
  thread_yield,
  thread_sleep,
  choose,
  destroy,
  process_exit,
  memory_read,  ///< a plain access that is a step: see ExecutionOptions::plain_steps
  memory_write,
  annotation_happens_before,  ///< a point that the program declares other threads may be ordered after
  annotation_happens_after,   ///< is ordered after all of those
  semaphore_value,            ///< reads the count
  poll_to_end,                ///< whether a loop that polls for long comes to its end before others run
  model_step,                 ///< a step of a process of a model; executions have none
  thread_late_sleep,          ///< a sleep that ends only when no other thread can run
  futex_wake,                 ///< reaches some of those that wait at an atomic, as the next two
  futex_requeue,              ///< also lets some of them wait at another one, which is a part that it touches
  futex_wake_op,              ///< also changes an atomic; it wakes those at that one and at another
};

inline constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::futex_wake_op) + 1;

/// What an operation does to an object that it accesses.
enum class Access : std::uint8_t { read, write };

/// The operation on InstrumentedThread::parts_touched when an operation does `access` to its object.
constexpr Operation operation_on_part(Access access) {
  return access == Access::write ? Operation::memory_write : Operation::memory_read;
}

/// The operation as schedules and reports print it, for example "mutex.lock".
std::string_view to_string(Operation operation);

/// The operation with that printed name, or Operation::none.
Operation operation_from_string(std::string_view name);

}  // namespace hocket::runtime
