// The entry points of GCC's and Clang's instrumentation for atomic operations, except those of sixteen bytes.
#include <cstdint>

#include "../host/call_origin.hpp"
#include "../libstdcxx/standard_waits.hpp"
#include "memory_atomic.hpp"

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::Operation;

namespace {

template <class T>
T load_outside(const volatile T* at, int order) {
  note_order_of_load(order);
  return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

}  // namespace

// Outside a body, each function does what the original instruction would have done.
#define HOCKET_ATOMICS(bits, T)                                                                             \
  T __tsan_atomic##bits##_load(const volatile T* at, int order) {                                           \
    HOCKET_ENTRY_OR(load_outside(at, order));                                                               \
    return load<T>(at, order);                                                                              \
  }                                                                                                         \
  void __tsan_atomic##bits##_store(volatile T* at, T value, int order) {                                    \
    HOCKET_ENTRY_OR(__atomic_store_n(at, value, __ATOMIC_SEQ_CST));                                         \
    store<T>(at, value, order);                                                                             \
  }                                                                                                         \
  T __tsan_atomic##bits##_exchange(volatile T* at, T value, int order) {                                    \
    HOCKET_ENTRY_OR(__atomic_exchange_n(at, value, __ATOMIC_SEQ_CST));                                      \
    return exchange<T>(at, value, order);                                                                   \
  }                                                                                                         \
  HOCKET_ATOMIC_UPDATE(bits, T, fetch_add, before + value)                                                  \
  HOCKET_ATOMIC_UPDATE(bits, T, fetch_sub, before - value)                                                  \
  HOCKET_ATOMIC_UPDATE(bits, T, fetch_and, before& value)                                                   \
  HOCKET_ATOMIC_UPDATE(bits, T, fetch_or, before | value)                                                   \
  HOCKET_ATOMIC_UPDATE(bits, T, fetch_xor, before ^ value)                                                  \
  T __tsan_atomic##bits##_fetch_nand(volatile T* at, T value, int order) {                                  \
    HOCKET_ENTRY_OR(__atomic_fetch_nand(at, value, __ATOMIC_SEQ_CST));                                      \
    return update<T>(                                                                                       \
        at, Operation::atomic_exchange, [value](T before) { return static_cast<T>(~(before & value)); },    \
        order);                                                                                             \
  }                                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_strong(                                                        \
      volatile T* at, T* expected, T desired, int success, int failure) {                                   \
    if (!is_from_body()) {                                                                                  \
      return __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                       \
    HOCKET_CALLED_FROM_BODY();                                                                              \
    return compare_exchange<T>(at, *expected, desired, false, success, failure);                            \
  }                                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_weak(                                                          \
      volatile T* at, T* expected, T desired, int success, int failure) {                                   \
    if (!is_from_body()) {                                                                                  \
      return __atomic_compare_exchange_n(at, expected, desired, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    }                                                                                                       \
    HOCKET_CALLED_FROM_BODY();                                                                              \
    return compare_exchange<T>(at, *expected, desired, true, success, failure);                             \
  }                                                                                                         \
  T __tsan_atomic##bits##_compare_exchange_val(                                                             \
      volatile T* at, T expected, T desired, int success, int failure) {                                    \
    if (!is_from_body()) {                                                                                  \
      __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    } else {                                                                                                \
      HOCKET_CALLED_FROM_BODY();                                                                            \
      compare_exchange<T>(at, expected, desired, false, success, failure);                                  \
    }                                                                                                       \
    return expected;                                                                                        \
  }

#define HOCKET_ATOMIC_UPDATE(bits, T, name, result)                                                 \
  T __tsan_atomic##bits##_##name(volatile T* at, T value, int order) {                              \
    HOCKET_ENTRY_OR(__atomic_##name(at, value, __ATOMIC_SEQ_CST));                                  \
    return update<T>(                                                                               \
        at, Operation::atomic_##name, [value](T before) { return static_cast<T>(result); }, order); \
  }

extern "C" {

HOCKET_ATOMICS(8, std::uint8_t)
HOCKET_ATOMICS(16, std::uint16_t)
HOCKET_ATOMICS(32, std::uint32_t)
HOCKET_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order) {
  HOCKET_ENTRY_OR(__atomic_thread_fence(__ATOMIC_SEQ_CST));
  hocket::runtime::step::fence(order_of(order), hocket::runtime::Where{});
}
void __tsan_atomic_signal_fence(int /*order*/) {}

}  // extern "C"
