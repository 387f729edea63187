// The operations that a logical thread can stop before: what a step begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::runtime {

/// Every kind of operation on a shared object. The order is part of the class hash and of nothing else.
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
  condition_reacquire,  ///< the end of a wait: is done with waiting, takes the mutex again
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
  annotation_happens_before,  ///< the program says what other threads may be ordered after
  annotation_happens_after,   ///< it comes after all of those
};

inline constexpr std::size_t kOperations = static_cast<std::size_t>(Operation::annotation_happens_after) + 1;

/// What an operation does to an object that it touches.
enum class Access : std::uint8_t { read, write };

/// What an operation does to Thread::parts_touched when it does `access` to its object.
constexpr Operation operation_on_part(Access access) {
  return access == Access::write ? Operation::memory_write : Operation::memory_read;
}

/// Whether a thread may have to wait before `operation` in the set of an object.
constexpr bool may_wait(Operation operation) {
  constexpr auto bit = [](Operation o) { return std::uint64_t{1} << static_cast<unsigned>(o); };
  constexpr std::uint64_t kWaiting =
      bit(Operation::mutex_lock) | bit(Operation::mutex_try_lock_for) | bit(Operation::mutex_lock_shared) |
      bit(Operation::mutex_try_lock_shared_for) | bit(Operation::semaphore_acquire) |
      bit(Operation::semaphore_try_acquire_for) | bit(Operation::condition_reacquire);
  return (kWaiting >> static_cast<unsigned>(operation) & 1) != 0;
}

/// Whether the wait before `operation` may be one for a time. (That of a thread which polls the clock may be
/// before any operation.)
constexpr bool may_expire(Operation operation) {
  return operation == Operation::condition_reacquire || operation == Operation::mutex_try_lock_for ||
         operation == Operation::mutex_try_lock_shared_for ||
         operation == Operation::semaphore_try_acquire_for || operation == Operation::atomic_wait;
}

/// The operation as schedules and reports print it, for example "mutex.lock".
std::string_view to_string(Operation operation);

/// The operation with that printed name, or Operation::none.
Operation operation_from_string(std::string_view name);

}  // namespace hocket::runtime
