// What an operation does to the order of other things: which ones take part in the happens-before of the C++
// memory model, and how.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../terms/operation.hpp"
#include "../terms/semantics.hpp"
#include "object.hpp"
#include "objects.hpp"
#include "observer.hpp"

namespace hocket::runtime {

/// synchronization_of(), to be looked up: what it asks would cost jumps that processors do not foresee.
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
