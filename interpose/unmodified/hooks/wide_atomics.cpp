// The entry points for atomic operations of sixteen bytes: those of the compilers' instrumentation, and those
// of libatomic, which are called by code that was compiled without cmpxchg16b.
#include <cstdint>
#include <cstring>

#include "../host/call_origin.hpp"
#include "memory_atomic.hpp"

namespace hocket::unmodified {

namespace {

__extension__ using Wide = unsigned __int128;

TwoWords split(Wide value) {
  TwoWords words;
  std::memcpy(&words, &value, sizeof words);
  return words;
}
Wide joined(const TwoWords& words) {
  Wide value;
  std::memcpy(&value, &words, sizeof value);
  return value;
}

/// Implements every operation outside a body. For other operations GCC would call libatomic, which means the
/// functions of this file.
Wide compare_and_swap(volatile Wide* at, Wide expected, Wide desired) {
  return __sync_val_compare_and_swap(at, expected, desired);
}

/// Returns the previous value.
template <class Change>
Wide change_outside(volatile Wide* at, Change change) {
  for (Wide before = *at;;) {
    const Wide found = compare_and_swap(at, before, change(before));
    if (found == before) return before;
    before = found;
  }
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::Operation;

// Names of compiler builtins can be defined only as aliases.
#define HOCKET_IN_LIBATOMIC(name, entry)                                                             \
  [[gnu::alias("__tsan_atomic128_" #entry)]] decltype(__tsan_atomic128_##entry) name##_wide __asm__( \
      "__atomic_" #name "_16");

extern "C" {

Wide __tsan_atomic128_load(const volatile Wide* at, int order) {
  HOCKET_ENTRY_OR(compare_and_swap(const_cast<volatile Wide*>(at), 0, 0));
  return joined(load<TwoWords>(at, order));
}
HOCKET_IN_LIBATOMIC(load, load)

void __tsan_atomic128_store(volatile Wide* at, Wide value, int order) {
  if (!is_from_body()) {
    change_outside(at, [value](Wide) { return value; });
    return;
  }
  HOCKET_CALLED_FROM_BODY();
  store<TwoWords>(at, split(value), order);
}
HOCKET_IN_LIBATOMIC(store, store)

Wide __tsan_atomic128_exchange(volatile Wide* at, Wide value, int order) {
  HOCKET_ENTRY_OR(change_outside(at, [value](Wide) { return value; }));
  return joined(exchange<TwoWords>(at, split(value), order));
}
HOCKET_IN_LIBATOMIC(exchange, exchange)

#define HOCKET_WIDE_UPDATE(name, operation, result)                                                     \
  Wide __tsan_atomic128_##name(volatile Wide* at, Wide value, int order) {                              \
    const auto change = [value](Wide before) -> Wide { return result; };                                \
    HOCKET_ENTRY_OR(change_outside(at, change));                                                        \
    const auto change_words = [change](const TwoWords& words) { return split(change(joined(words))); }; \
    return joined(update<TwoWords>(at, operation, change_words, order));                                \
  }                                                                                                     \
  HOCKET_IN_LIBATOMIC(name, name)
HOCKET_WIDE_UPDATE(fetch_add, Operation::atomic_fetch_add, before + value)
HOCKET_WIDE_UPDATE(fetch_sub, Operation::atomic_fetch_sub, before - value)
HOCKET_WIDE_UPDATE(fetch_and, Operation::atomic_fetch_and, before& value)
HOCKET_WIDE_UPDATE(fetch_or, Operation::atomic_fetch_or, before | value)
HOCKET_WIDE_UPDATE(fetch_xor, Operation::atomic_fetch_xor, before ^ value)
HOCKET_WIDE_UPDATE(fetch_nand, Operation::atomic_exchange, ~(before& value))

#define HOCKET_WIDE_COMPARE(name, weak)                                                                  \
  int __tsan_atomic128_compare_exchange_##name(                                                          \
      volatile Wide* at, Wide* expected, Wide desired, int success, int failure) {                       \
    if (!is_from_body()) {                                                                               \
      const Wide before = *expected;                                                                     \
      *expected = compare_and_swap(at, before, desired);                                                 \
      return *expected == before;                                                                        \
    }                                                                                                    \
    HOCKET_CALLED_FROM_BODY();                                                                           \
    TwoWords words = split(*expected);                                                                   \
    const bool succeeds = compare_exchange<TwoWords>(at, words, split(desired), weak, success, failure); \
    *expected = joined(words);                                                                           \
    return succeeds;                                                                                     \
  }
HOCKET_WIDE_COMPARE(strong, false)
HOCKET_WIDE_COMPARE(weak, true)
HOCKET_IN_LIBATOMIC(compare_exchange, compare_exchange_strong)

Wide __tsan_atomic128_compare_exchange_val(
    volatile Wide* at, Wide expected, Wide desired, int success, int failure) {
  HOCKET_ENTRY_OR(compare_and_swap(at, expected, desired));
  TwoWords words = split(expected);
  compare_exchange<TwoWords>(at, words, split(desired), false, success, failure);
  return joined(words);
}

}  // extern "C"
