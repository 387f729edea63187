// hocket::atomic and hocket::atomic_flag: std::atomic under control.
//
// Memory orders are accepted and remembered nowhere: every operation is explored as sequentially consistent.
#pragma once

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hocket/runtime/where.hpp>
#include <iterator>
#include <memory>
#include <type_traits>

#include <hocket/interpose/hot.hpp>
#include <hocket/interpose/value_text.hpp>
#include <hocket/runtime/execution.hpp>

namespace hocket {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

using runtime::Access;
using runtime::execution;
using runtime::Operation;
using runtime::Where;

/// The modelled atomic: the value beside the object's header.
template <class T>
struct AtomicCell : runtime::Object {
  alignas(std::atomic_ref<T>::required_alignment) T state;

  AtomicCell(T value, Where where) : Object(kKind, where), state(value) {}

  static std::uint64_t fingerprint_of(const T& value) {
    std::uint64_t words[(sizeof(T) + 7) / 8] = {};
    std::memcpy(words, std::addressof(value), sizeof(T));
    std::uint64_t fingerprint = words[0];
    for (std::size_t n = 1; n < std::size(words); ++n) fingerprint = runtime::mix(fingerprint, words[n]);
    return fingerprint;
  }

  static constexpr runtime::ObjectKind kKind{"atomic", &runtime::PlainSnapshot<AtomicCell>::save,
      &runtime::PlainSnapshot<AtomicCell>::restore, &runtime::PlainSnapshot<AtomicCell>::discard,
      [](const runtime::Object& cell) { return fingerprint_of(static_cast<const AtomicCell&>(cell).state); }};
};

template <class T>
concept AtomicNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool>;
template <class T>
concept AtomicInteger = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept AtomicPointer = std::is_pointer_v<T>;

template <class T>
struct AtomicDifference {
  using type = T;
};
template <class T>
struct AtomicDifference<T*> {
  using type = std::ptrdiff_t;
};

}  // namespace detail

template <class T>
class atomic {
  static_assert(
      std::is_trivially_copyable_v<T>, "std::atomic asks for a trivially copyable type, and so does Hocket");
  using Where = runtime::Where;
  using Operation = runtime::Operation;
  using Access = runtime::Access;

 public:
  using value_type = T;
  using difference_type = typename detail::AtomicDifference<T>::type;

  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  atomic(Where where = Where::current()) noexcept(
      std::is_nothrow_default_constructible_v<T>)  // NOLINT(google-explicit-constructor)
      requires std::default_initializable<T> : cell_(T(), where) {}
  atomic(T value,
      Where where = Where::current()) noexcept  // NOLINT(google-explicit-constructor): as std::atomic
      : cell_(value, where) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() { runtime::execution.destroy(cell_, Where{}); }

  [[nodiscard]] bool is_lock_free() const noexcept { return std::atomic_ref<T>(cell_.state).is_lock_free(); }

  HOCKET_HOT T load(memory_order /*order*/ = memory_order_seq_cst, Where where = Where::current()) const {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().load();
    if (runtime::execution.arrive(cell_, Operation::atomic_load, true, where)) {
      runtime::execution.act(cell_, Operation::atomic_load, Access::read);
    }
    const T value = cell_.state;
    note(value);
    return value;
  }
  // An operator has no room for the place of its call; a recorded execution finds it on the stack.
  HOCKET_HOT operator T() const {  // NOLINT(google-explicit-constructor): as std::atomic
    return load(memory_order_seq_cst, Where{});
  }

  HOCKET_HOT void store(
      T value, memory_order /*order*/ = memory_order_seq_cst, Where where = Where::current()) {
    if (!runtime::is_controlled()) [[unlikely]] {
      outside().store(value);
      return;
    }
    write(Operation::atomic_store, where);
    cell_.state = value;
    note(value);
  }
  HOCKET_HOT T operator=(T value) {
    store(value, memory_order_seq_cst, Where{});
    return value;
  }

  HOCKET_HOT T exchange(
      T value, memory_order /*order*/ = memory_order_seq_cst, Where where = Where::current()) {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().exchange(value);
    write(Operation::atomic_exchange, where);
    const T before = cell_.state;
    cell_.state = value;
    note(before);
    return before;
  }

  HOCKET_HOT bool compare_exchange_strong(T& expected, T desired,
      memory_order /*success*/ = memory_order_seq_cst, memory_order /*failure*/ = memory_order_seq_cst,
      Where where = Where::current()) {
    return compare_exchange(expected, desired, false, where);
  }
  HOCKET_HOT bool compare_exchange_weak(T& expected, T desired,
      memory_order /*success*/ = memory_order_seq_cst, memory_order /*failure*/ = memory_order_seq_cst,
      Where where = Where::current()) {
    return compare_exchange(expected, desired, true, where);
  }

  /// Blocks until a notification finds the value changed from `old`.
  void wait(T old, memory_order /*order*/ = memory_order_seq_cst, Where where = Where::current()) const {
    if (!runtime::is_controlled()) {
      outside().wait(old);
      return;
    }
    struct Context {
      const atomic* self;
      const T* old;
    } context{this, &old};
    runtime::execution.atomic_wait(
        cell_,
        [](const void* argument) {
          const auto& c = *static_cast<const Context*>(argument);
          return equal(c.self->cell_.state, *c.old);
        },
        &context, where);
  }
  void notify_one(Where where = Where::current()) { notify(false, where); }
  void notify_all(Where where = Where::current()) { notify(true, where); }

  HOCKET_HOT T fetch_add(difference_type by, memory_order /*order*/ = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_add(by);
    return update(
        Operation::atomic_fetch_add, [by](T value) { return add(value, by); }, where);
  }
  HOCKET_HOT T fetch_sub(difference_type by, memory_order /*order*/ = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_sub(by);
    return update(
        Operation::atomic_fetch_sub, [by](T value) { return subtract(value, by); }, where);
  }
  HOCKET_HOT T fetch_and(T with, memory_order /*order*/ = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicInteger<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_and(with);
    return update(
        Operation::atomic_fetch_and, [with](T value) { return static_cast<T>(value & with); }, where);
  }
  HOCKET_HOT T fetch_or(T with, memory_order /*order*/ = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicInteger<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_or(with);
    return update(
        Operation::atomic_fetch_or, [with](T value) { return static_cast<T>(value | with); }, where);
  }
  HOCKET_HOT T fetch_xor(T with, memory_order /*order*/ = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicInteger<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_xor(with);
    return update(
        Operation::atomic_fetch_xor, [with](T value) { return static_cast<T>(value ^ with); }, where);
  }

  HOCKET_HOT T operator++() requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return add(fetch_add(1, memory_order_seq_cst, Where{}), 1);
  }
  HOCKET_HOT T operator++(int) requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return fetch_add(1, memory_order_seq_cst, Where{});
  }
  HOCKET_HOT T operator--() requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return subtract(fetch_sub(1, memory_order_seq_cst, Where{}), 1);
  }
  HOCKET_HOT T operator--(int) requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return fetch_sub(1, memory_order_seq_cst, Where{});
  }
  HOCKET_HOT T operator+=(difference_type by) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    return add(fetch_add(by, memory_order_seq_cst, Where{}), by);
  }
  HOCKET_HOT T operator-=(difference_type by) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    return subtract(fetch_sub(by, memory_order_seq_cst, Where{}), by);
  }
  HOCKET_HOT T operator&=(T with) requires detail::AtomicInteger<T> {
    return static_cast<T>(fetch_and(with, memory_order_seq_cst, Where{}) & with);
  }
  HOCKET_HOT T operator|=(T with) requires detail::AtomicInteger<T> {
    return static_cast<T>(fetch_or(with, memory_order_seq_cst, Where{}) | with);
  }
  HOCKET_HOT T operator^=(T with) requires detail::AtomicInteger<T> {
    return static_cast<T>(fetch_xor(with, memory_order_seq_cst, Where{}) ^ with);
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return cell_; }

 private:
  static T add(T value, difference_type by) {
    if constexpr (std::is_integral_v<T>) {  // wraps, as std::atomic does
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(value) + static_cast<U>(by)));
    } else {
      return value + by;
    }
  }
  static T subtract(T value, difference_type by) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(value) - static_cast<U>(by)));
    } else {
      return value - by;
    }
  }
  static bool equal(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>) {
      return a == b;
    } else {
      return std::memcmp(std::addressof(a), std::addressof(b), sizeof(T)) ==
             0;  // the representation, as std::atomic
    }
  }

  std::atomic_ref<T> outside() const {
    runtime::outside_operation();
    return std::atomic_ref<T>(cell_.state);
  }

  HOCKET_HOT void write(Operation operation, Where where) {
    if (runtime::execution.arrive(cell_, operation, true, where)) {
      runtime::execution.act(cell_, operation, Access::write);
    }
  }

  template <class Change>
  HOCKET_HOT T update(Operation operation, Change change, Where where) {
    write(operation, where);
    const T before = cell_.state;
    cell_.state = change(before);
    note(before);
    return before;
  }

  HOCKET_HOT bool compare_exchange(T& expected, T desired, bool weak, Where where) {
    if (!runtime::is_controlled()) [[unlikely]] {
      return weak ? outside().compare_exchange_weak(expected, desired)
                  : outside().compare_exchange_strong(expected, desired);
    }
    if (runtime::execution.attentive) [[unlikely]] {
      runtime::execution.expect(detail::AtomicCell<T>::fingerprint_of(expected), weak);
    }
    const bool counts = runtime::execution.arrive(cell_, Operation::atomic_compare_exchange, true, where);
    const T before = cell_.state;
    bool succeeds = equal(before, expected);
    if (weak && succeeds && counts) succeeds = !runtime::execution.fails_spuriously(where);
    if (counts) {
      runtime::execution.act(
          cell_, Operation::atomic_compare_exchange, succeeds ? Access::write : Access::read);
    }
    if (succeeds) {
      cell_.state = desired;
    } else {
      expected = before;
    }
    if (runtime::execution.recording) [[unlikely]] {
      runtime::execution.note_value(
          (succeeds ? "succeeded from " : "failed, found ") + detail::value_text(before));
    }
    return succeeds;
  }

  void notify(bool all, Where where) {
    if (!runtime::is_controlled()) {
      all ? outside().notify_all() : outside().notify_one();
      return;
    }
    runtime::execution.atomic_notify(cell_, all, where);
  }

  HOCKET_HOT static void note(const T& value) {
    if (runtime::execution.recording) [[unlikely]]
      runtime::execution.note_value(detail::value_text(value));
  }

  mutable detail::AtomicCell<T> cell_;
};

template <class T>
atomic(T) -> atomic<T>;

class atomic_flag {
  using Where = runtime::Where;

 public:
  atomic_flag(Where where = Where::current())
      : value_(false, where) {}  // NOLINT(google-explicit-constructor)

  bool test(memory_order order = memory_order_seq_cst, Where where = Where::current()) const {
    return value_.load(order, where);
  }
  bool test_and_set(memory_order order = memory_order_seq_cst, Where where = Where::current()) {
    return value_.exchange(true, order, where);
  }
  void clear(memory_order order = memory_order_seq_cst, Where where = Where::current()) {
    value_.store(false, order, where);
  }
  void wait(bool old, memory_order order = memory_order_seq_cst, Where where = Where::current()) const {
    value_.wait(old, order, where);
  }
  void notify_one(Where where = Where::current()) { value_.notify_one(where); }
  void notify_all(Where where = Where::current()) { value_.notify_all(where); }

  [[nodiscard]] const runtime::Object& hocket_object() const { return value_.hocket_object(); }

 private:
  atomic<bool> value_;
};

/// Fences are no steps: under sequential consistency they change nothing.
inline void atomic_thread_fence(memory_order order) {
  if (!runtime::is_controlled()) std::atomic_thread_fence(order);
}
inline void atomic_signal_fence(memory_order order) {
  std::atomic_signal_fence(order);
}

using atomic_bool = atomic<bool>;
using atomic_char = atomic<char>;
using atomic_schar = atomic<signed char>;
using atomic_uchar = atomic<unsigned char>;
using atomic_short = atomic<short>;
using atomic_ushort = atomic<unsigned short>;
using atomic_int = atomic<int>;
using atomic_uint = atomic<unsigned>;
using atomic_long = atomic<long>;
using atomic_ulong = atomic<unsigned long>;
using atomic_llong = atomic<long long>;
using atomic_ullong = atomic<unsigned long long>;
using atomic_int8_t = atomic<std::int8_t>;
using atomic_uint8_t = atomic<std::uint8_t>;
using atomic_int16_t = atomic<std::int16_t>;
using atomic_uint16_t = atomic<std::uint16_t>;
using atomic_int32_t = atomic<std::int32_t>;
using atomic_uint32_t = atomic<std::uint32_t>;
using atomic_int64_t = atomic<std::int64_t>;
using atomic_uint64_t = atomic<std::uint64_t>;
using atomic_intptr_t = atomic<std::intptr_t>;
using atomic_uintptr_t = atomic<std::uintptr_t>;
using atomic_size_t = atomic<std::size_t>;
using atomic_ptrdiff_t = atomic<std::ptrdiff_t>;

}  // namespace hocket
