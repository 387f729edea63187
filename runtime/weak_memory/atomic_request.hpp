// What an atomic operation asks for where older values than the newest are kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "../objects/object.hpp"
#include "../terms/operation.hpp"
#include "../terms/where.hpp"
#include "store_history.hpp"

namespace hocket::runtime {

/// An operation of an atomic of which older values are kept.
struct AtomicRequest {
  Object& object;
  Operation operation;
  std::memory_order order;
  bool reads;
  bool writes;
  const void* memory;  ///< the newest value
  std::size_t size;    ///< in bytes, at most kMostStoreBytes
  std::string (*as_text)(const std::byte* value);
  Where where;
  /// The machine instruction that asks for it, where Thread::caller does not say.
  const void* code = nullptr;

  // -- Of a compare-exchange, which writes only if it finds the expected value
  const void* expected = nullptr;  ///< nullptr: this is none
  std::memory_order on_failure = std::memory_order_seq_cst;
  bool may_fail_spuriously = false;
  bool needs_another_value = false;  ///< a wait: older stores of the expected value are of no use

  /// Whether the operation finds the expected value in this store.
  [[nodiscard]] bool finds_expected(const Store& store) const;
};

}  // namespace hocket::runtime
