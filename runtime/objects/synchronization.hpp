// How an operation orders other operations: which ones take part in the happens-before of the C++ memory
// model, and how.
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

/// A lookup table for synchronization_of(), whose tests would be branches that processors cannot predict.
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

// Always inlined, so that it stays free of hooks where HOCKET_INLINED functions do.
[[gnu::always_inline]] inline Synchronization synchronization_of(
    const Object& object, Operation operation, Access access) {
  // Both halves of a wait act on the condition variable, which orders nothing, and on the mutex.
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
