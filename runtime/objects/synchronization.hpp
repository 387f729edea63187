// What an operation does to the order of other things: which ones take part in the happens-before of the C++
// memory model, and how.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../terms/operation.hpp"
#include "object.hpp"
#include "objects.hpp"
#include "observer.hpp"

namespace hocket::runtime {

/// How an operation orders threads.
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

/// What an operation is to any object but a condition variable.
constexpr Synchronization synchronization_of(Operation operation, Access access) {
  switch (operation) {
    case Operation::mutex_lock:
    case Operation::mutex_try_lock:
    case Operation::mutex_try_lock_for:
    case Operation::semaphore_acquire:
    case Operation::semaphore_try_acquire:
    case Operation::semaphore_try_acquire_for:
      return access == Access::write ? Synchronization::acquire : Synchronization::none;
    case Operation::mutex_lock_shared:
    case Operation::mutex_try_lock_shared:
    case Operation::mutex_try_lock_shared_for:
      return access == Access::write ? Synchronization::acquire_shared : Synchronization::none;
    case Operation::mutex_unlock:
    case Operation::semaphore_release:
    case Operation::condition_wait:
    case Operation::annotation_happens_before:
      return Synchronization::release;
    case Operation::mutex_unlock_shared:
      return Synchronization::release_shared;
    case Operation::condition_reacquire:
    case Operation::annotation_happens_after:
      return Synchronization::acquire;
    case Operation::atomic_load:
    case Operation::atomic_wait:
      return Synchronization::atomic_load;
    case Operation::atomic_store:
      return Synchronization::atomic_store;
    case Operation::atomic_exchange:
    case Operation::atomic_fetch_add:
    case Operation::atomic_fetch_sub:
    case Operation::atomic_fetch_and:
    case Operation::atomic_fetch_or:
    case Operation::atomic_fetch_xor:
      return Synchronization::atomic_update;
    case Operation::atomic_compare_exchange:  // one that fails is a load
      return access == Access::write ? Synchronization::atomic_update : Synchronization::atomic_load;
    default:
      return Synchronization::none;
  }
}

/// The same, to be looked up: a switch costs a jump that processors do not foresee.
struct Synchronizations {
  Synchronization of[kOperations][2];  ///< by operation and access

  constexpr Synchronizations() : of{} {
    for (std::size_t n = 0; n < kOperations; ++n) {
      of[n][0] = synchronization_of(static_cast<Operation>(n), Access::read);
      of[n][1] = synchronization_of(static_cast<Operation>(n), Access::write);
    }
  }
};
inline constexpr Synchronizations kSynchronizations;

// Without a call, also where HOCKET_INLINED keeps it free of hooks.
[[gnu::always_inline]] inline Synchronization synchronization_of(
    const Object& object, Operation operation, Access access) {
  // Both halves of a wait are done to the condition variable, which orders nothing, and to the mutex.
  if (object.kind == &kConditionVariableKind) return Synchronization::none;
  return kSynchronizations.of[static_cast<std::size_t>(operation)][static_cast<std::size_t>(access)];
}

constexpr bool is_acquire(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool is_release(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace hocket::runtime
