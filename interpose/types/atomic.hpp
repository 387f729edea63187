// hocket::atomic and hocket::atomic_flag: std::atomic under control.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "atomic_operations.hpp"
#include "hot.hpp"

namespace hocket {

namespace detail {

/// The modelled atomic: its value and the object's header.
template <class T>
struct AtomicCell : runtime::Object {
  alignas(std::atomic_ref<T>::required_alignment) T state;

  AtomicCell(T value, runtime::Where where) : Object(kKind, where), state(value) {}

  static constexpr runtime::ObjectKind kKind{"atomic", &runtime::PlainSnapshot<AtomicCell>::save,
      &runtime::PlainSnapshot<AtomicCell>::restore, &runtime::PlainSnapshot<AtomicCell>::discard,
      [](const runtime::Object& cell) {
        return atomic_fingerprint(static_cast<const AtomicCell&>(cell).state);
      },
      nullptr, false, nullptr, sizeof(AtomicCell), nullptr, nullptr, sizeof(T) <= runtime::kMostStoreBytes};
};

}  // namespace detail

/// The public class. If the atomic is const, it lacks the operations that change the value. (A const
/// atomic_ref can still change the value to which it refers.)
template <class T>
class atomic : private detail::AtomicOperations<atomic<T>, T> {
  using Operations = detail::AtomicOperations<atomic<T>, T>;
  using Where = runtime::Where;

 public:
  using typename Operations::difference_type;
  using typename Operations::value_type;

  atomic(Where where = Where::current()) noexcept(
      std::is_nothrow_default_constructible_v<T>)  // NOLINT(google-explicit-constructor)
      requires std::default_initializable<T> : cell_(T(), where) {}
  atomic(T value,
      Where where = Where::current()) noexcept  // NOLINT(google-explicit-constructor): as std::atomic
      : cell_(value, where) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() { runtime::step::destroy(cell_, Where{}); }

  using Operations::hocket_object;
  using Operations::is_always_lock_free;
  using Operations::is_lock_free;
  using Operations::load;
  using Operations::operator T;
  using Operations::wait;

  HOCKET_HOT void store(
      T desired, memory_order order = memory_order_seq_cst, Where where = Where::current()) {
    Operations::store(desired, order, where);
  }
  HOCKET_HOT T operator=(T desired) {  // NOLINT(misc-unconventional-assign-operator): as std::atomic
    Operations::store(desired, memory_order_seq_cst, Where{});
    return desired;
  }
  HOCKET_HOT T exchange(
      T desired, memory_order order = memory_order_seq_cst, Where where = Where::current()) {
    return Operations::exchange(desired, order, where);
  }
  HOCKET_HOT bool compare_exchange_strong(
      T& expected, T desired, memory_order success, memory_order failure, Where where = Where::current()) {
    return Operations::compare_exchange_strong(expected, desired, success, failure, where);
  }
  HOCKET_HOT bool compare_exchange_strong(
      T& expected, T desired, memory_order order = memory_order_seq_cst, Where where = Where::current()) {
    return Operations::compare_exchange_strong(expected, desired, order, where);
  }
  HOCKET_HOT bool compare_exchange_weak(
      T& expected, T desired, memory_order success, memory_order failure, Where where = Where::current()) {
    return Operations::compare_exchange_weak(expected, desired, success, failure, where);
  }
  HOCKET_HOT bool compare_exchange_weak(
      T& expected, T desired, memory_order order = memory_order_seq_cst, Where where = Where::current()) {
    return Operations::compare_exchange_weak(expected, desired, order, where);
  }

  void notify_one(Where where = Where::current()) { Operations::notify_one(where); }
  void notify_all(Where where = Where::current()) { Operations::notify_all(where); }

  HOCKET_HOT T fetch_add(difference_type by, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    return Operations::fetch_add(by, order, where);
  }
  HOCKET_HOT T fetch_sub(difference_type by, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    return Operations::fetch_sub(by, order, where);
  }
  HOCKET_HOT T fetch_and(T with, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicInteger<T> {
    return Operations::fetch_and(with, order, where);
  }
  HOCKET_HOT T fetch_or(T with, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicInteger<T> {
    return Operations::fetch_or(with, order, where);
  }
  HOCKET_HOT T fetch_xor(T with, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) requires detail::AtomicInteger<T> {
    return Operations::fetch_xor(with, order, where);
  }

  HOCKET_HOT T operator++() requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return Operations::operator++();
  }
  HOCKET_HOT T operator++(int) requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return Operations::operator++(0);
  }
  HOCKET_HOT T operator--() requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return Operations::operator--();
  }
  HOCKET_HOT T operator--(int) requires detail::AtomicInteger<T> || detail::AtomicPointer<T> {
    return Operations::operator--(0);
  }
  HOCKET_HOT T operator+=(difference_type by) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    return Operations::operator+=(by);
  }
  HOCKET_HOT T operator-=(difference_type by) requires detail::AtomicNumber<T> || detail::AtomicPointer<T> {
    return Operations::operator-=(by);
  }
  HOCKET_HOT T operator&=(T with) requires detail::AtomicInteger<T> { return Operations::operator&=(with); }
  HOCKET_HOT T operator|=(T with) requires detail::AtomicInteger<T> { return Operations::operator|=(with); }
  HOCKET_HOT T operator^=(T with) requires detail::AtomicInteger<T> { return Operations::operator^=(with); }

 private:
  friend Operations;
  friend detail::ModelledCell<atomic, T>;
  [[nodiscard]] HOCKET_HOT runtime::Object& object() const { return cell_; }
  [[nodiscard]] HOCKET_HOT T& value() const { return cell_.state; }
  static void prepare() {}
  static constexpr bool kKeepsStores = true;

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

/// A fence is not a step, because under sequential consistency it changes nothing. But it can prevent data
/// races.
inline void atomic_thread_fence(memory_order order, runtime::Where where = runtime::Where::current()) {
  if (runtime::is_controlled()) {
    runtime::step::fence(order, where);
  } else {
    std::atomic_thread_fence(order);
  }
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
