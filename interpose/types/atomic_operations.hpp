// The common part of hocket::atomic and hocket::atomic_ref: the operations of std::atomic under control.
//
// Unless the search has been asked for the C++ memory model, every operation is explored as sequentially
// consistent, and memory orders matter only for the detection of data races: they say which accesses the
// operation orders.
#pragma once

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>

#include "../../runtime/execution/allocations.hpp"
#include "../../runtime/execution/recording.hpp"
#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "hot.hpp"
#include "modelled_cell.hpp"
#include "value_text.hpp"

namespace hocket {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace detail {

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

/// The ObjectKind::fingerprint of an atomic that has this value.
template <class T>
std::uint64_t atomic_fingerprint(const T& value) {
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  std::memcpy(words, std::addressof(value), sizeof(T));
  std::uint64_t fingerprint = words[0];
  for (std::size_t n = 1; n < std::size(words); ++n) fingerprint = runtime::mix(fingerprint, words[n]);
  return fingerprint;
}

/// The operations. All of them are const, as those of std::atomic_ref are. `Place` is the class derived from
/// this one, which says where the value is stored:
///   runtime::Object& object() const;
///   T& value() const;
///   void prepare() const;  // called before an access that counts
///   static constexpr bool kKeepsStores;  // whether operations may read older values than the newest
///   static std::string as_text(const T&);  // as recorded schedules show it; optional
template <class Place, class T>
class AtomicOperations {
  static_assert(
      std::is_trivially_copyable_v<T>, "std::atomic asks for a trivially copyable type, and so does Hocket");
  using Where = runtime::Where;
  using Operation = runtime::Operation;

 public:
  using value_type = T;
  using difference_type = typename AtomicDifference<T>::type;

  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  [[nodiscard]] bool is_lock_free() const noexcept {
    return std::atomic_ref<T>(place().value()).is_lock_free();
  }

  HOCKET_HOT T load(memory_order order = memory_order_seq_cst, Where where = Where::current()) const {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().load();
    const bool counts = arrive(Operation::atomic_load, order, where);
    const T found = cell().read(counts, Operation::atomic_load, order, where);
    note(found);
    return found;
  }
  // An operator cannot take the place of its call as an argument; a recorded execution finds the place on the
  // stack.
  HOCKET_HOT operator T() const {  // NOLINT(google-explicit-constructor): as std::atomic
    return load(memory_order_seq_cst, Where{});
  }

  HOCKET_HOT void store(
      T desired, memory_order order = memory_order_seq_cst, Where where = Where::current()) const {
    if (!runtime::is_controlled()) [[unlikely]] {
      outside().store(desired);
      return;
    }
    const bool counts = arrive(Operation::atomic_store, order, where);
    cell().write(counts, Operation::atomic_store, order, desired, where);
    note(desired);
  }
  HOCKET_HOT T exchange(
      T desired, memory_order order = memory_order_seq_cst, Where where = Where::current()) const {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().exchange(desired);
    return update(
        Operation::atomic_exchange, [&desired](const T&) HOCKET_HOT_LAMBDA { return desired; }, order, where);
  }

  HOCKET_HOT bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
      Where where = Where::current()) const {
    return compare_exchange(expected, desired, false, success, failure, where);
  }
  HOCKET_HOT bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const {
    return compare_exchange(expected, desired, false, order, as_load(order), where);
  }
  HOCKET_HOT bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
      Where where = Where::current()) const {
    return compare_exchange(expected, desired, true, success, failure, where);
  }
  HOCKET_HOT bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const {
    return compare_exchange(expected, desired, true, order, as_load(order), where);
  }

  /// Blocks until the value differs from `old`. A blocked thread reads the value again only when it is
  /// notified.
  void wait(T old, memory_order order = memory_order_seq_cst, Where where = Where::current()) const {
    if (!runtime::is_controlled()) {
      outside().wait(old);
      return;
    }
    place().prepare();
    note_order(Operation::atomic_wait, order, order, where);
    if constexpr (ModelledCell<Place, T>::kKeepsStores) {
      if (runtime::run.keeps_stores) {
        runtime::AtomicRequest request = cell().request(Operation::atomic_wait, order, true, false, where);
        request.expected = std::addressof(old);
        request.needs_another_value = true;
        static_cast<void>(runtime::step::atomic_wait(request));
        return;
      }
    }
    struct Context {
      const AtomicOperations* self;
      const T* old;
    } context{this, &old};
    bool expired = false;
    static_cast<void>(runtime::step::atomic_wait(
        object(),
        [](const void* argument) {
          const auto& c = *static_cast<const Context*>(argument);
          return equal(c.self->cell().newest(), *c.old);
        },
        &context, order, runtime::kForever, expired, where));
  }
  void notify_one(Where where = Where::current()) const { notify(false, where); }
  void notify_all(Where where = Where::current()) const { notify(true, where); }

  HOCKET_HOT T fetch_add(difference_type by, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const requires AtomicNumber<T> || AtomicPointer<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_add(by);
    return update(
        Operation::atomic_fetch_add, [by](T old) HOCKET_HOT_LAMBDA { return add(old, by); }, order, where);
  }
  HOCKET_HOT T fetch_sub(difference_type by, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const requires AtomicNumber<T> || AtomicPointer<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_sub(by);
    return update(
        Operation::atomic_fetch_sub, [by](T old) HOCKET_HOT_LAMBDA { return subtract(old, by); }, order,
        where);
  }
  HOCKET_HOT T fetch_and(T with, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const requires AtomicInteger<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_and(with);
    return update(
        Operation::atomic_fetch_and, [with](T old) HOCKET_HOT_LAMBDA { return static_cast<T>(old & with); },
        order, where);
  }
  HOCKET_HOT T fetch_or(T with, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const requires AtomicInteger<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_or(with);
    return update(
        Operation::atomic_fetch_or, [with](T old) HOCKET_HOT_LAMBDA { return static_cast<T>(old | with); },
        order, where);
  }
  HOCKET_HOT T fetch_xor(T with, memory_order order = memory_order_seq_cst,
      Where where = Where::current()) const requires AtomicInteger<T> {
    if (!runtime::is_controlled()) [[unlikely]]
      return outside().fetch_xor(with);
    return update(
        Operation::atomic_fetch_xor, [with](T old) HOCKET_HOT_LAMBDA { return static_cast<T>(old ^ with); },
        order, where);
  }

  HOCKET_HOT T operator++() const requires AtomicInteger<T> || AtomicPointer<T> {
    return add(fetch_add(1, memory_order_seq_cst, Where{}), 1);
  }
  HOCKET_HOT T operator++(int) const requires AtomicInteger<T> || AtomicPointer<T> {
    return fetch_add(1, memory_order_seq_cst, Where{});
  }
  HOCKET_HOT T operator--() const requires AtomicInteger<T> || AtomicPointer<T> {
    return subtract(fetch_sub(1, memory_order_seq_cst, Where{}), 1);
  }
  HOCKET_HOT T operator--(int) const requires AtomicInteger<T> || AtomicPointer<T> {
    return fetch_sub(1, memory_order_seq_cst, Where{});
  }
  HOCKET_HOT T operator+=(difference_type by) const requires AtomicNumber<T> || AtomicPointer<T> {
    return add(fetch_add(by, memory_order_seq_cst, Where{}), by);
  }
  HOCKET_HOT T operator-=(difference_type by) const requires AtomicNumber<T> || AtomicPointer<T> {
    return subtract(fetch_sub(by, memory_order_seq_cst, Where{}), by);
  }
  HOCKET_HOT T operator&=(T with) const requires AtomicInteger<T> {
    return static_cast<T>(fetch_and(with, memory_order_seq_cst, Where{}) & with);
  }
  HOCKET_HOT T operator|=(T with) const requires AtomicInteger<T> {
    return static_cast<T>(fetch_or(with, memory_order_seq_cst, Where{}) | with);
  }
  HOCKET_HOT T operator^=(T with) const requires AtomicInteger<T> {
    return static_cast<T>(fetch_xor(with, memory_order_seq_cst, Where{}) ^ with);
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return object(); }

 protected:
  /// The cell through which every operation under control reads and writes.
  [[nodiscard]] HOCKET_HOT ModelledCell<Place, T> cell() const { return ModelledCell<Place, T>(place()); }

  /// Returns whether the operation is modelled, which it is not while the execution is being ended.
  HOCKET_HOT bool arrive(Operation operation, memory_order order, Where where) const {
    if (!runtime::step::arrive(object(), operation, true, where)) return false;
    note_order(operation, order, order, where);
    return true;
  }

  /// Performs a read-modify-write operation.
  template <class Change>
  HOCKET_HOT T update(Operation operation, Change change, memory_order order, Where where) const {
    const bool counts = arrive(operation, order, where);
    const T before = cell().update(counts, operation, order, change, where);
    note(before);
    return before;
  }

 private:
  static T add(T old, difference_type by) {
    if constexpr (std::is_integral_v<T>) {  // wraps around, as std::atomic does
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(old) + static_cast<U>(by)));
    } else {
      return old + by;
    }
  }
  static T subtract(T old, difference_type by) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(old) - static_cast<U>(by)));
    } else {
      return old - by;
    }
  }
  HOCKET_HOT static bool equal(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>) {
      return a == b;
    } else {
      return std::memcmp(std::addressof(a), std::addressof(b), sizeof(T)) ==
             0;  // compares the representation, as std::atomic does
    }
  }

  std::atomic_ref<T> outside() const {
    runtime::outside_operation();
    return std::atomic_ref<T>(place().value());
  }

  [[nodiscard]] const Place& place() const { return static_cast<const Place&>(*this); }
  [[nodiscard]] HOCKET_HOT runtime::Object& object() const { return place().object(); }
  HOCKET_HOT void note_order(
      Operation operation, memory_order order, memory_order on_failure, Where where) const {
    runtime::step::note_order(&object(), operation, order, on_failure, where);
  }

  /// The memory order that a failing compare-exchange has if it was given only one order.
  static constexpr memory_order as_load(memory_order order) {
    return order == memory_order_acq_rel   ? memory_order_acquire
           : order == memory_order_release ? memory_order_relaxed
                                           : order;
  }

  HOCKET_HOT bool compare_exchange(
      T& expected, T desired, bool weak, memory_order success, memory_order failure, Where where) const {
    if (!runtime::is_controlled()) [[unlikely]] {
      return weak ? outside().compare_exchange_weak(expected, desired)
                  : outside().compare_exchange_strong(expected, desired);
    }
    if (runtime::run.attention == runtime::Attention::to_all) [[unlikely]] {
      runtime::step::expect(atomic_fingerprint(expected), weak);
    }
    const T wanted = expected;  // before our turn: where plain reads are steps, this read is one
    const bool counts = runtime::step::arrive(object(), Operation::atomic_compare_exchange, true, where);
    if constexpr (ModelledCell<Place, T>::kKeepsStores) {
      if (runtime::run.keeps_stores && counts) [[unlikely]]
        return compare_exchange_any(expected, wanted, desired, weak, success, failure, where);
    }
    bool succeeds = equal(cell().newest(), wanted);
    if (weak && succeeds && counts) succeeds = !runtime::step::fails_spuriously(where);
    if (counts) note_order(Operation::atomic_compare_exchange, success, failure, where);
    const T before = succeeds ? cell().update(
                                    counts, Operation::atomic_compare_exchange, success,
                                    [&desired](const T&) HOCKET_HOT_LAMBDA { return desired; }, where)
                              : cell().read(counts, Operation::atomic_compare_exchange, failure, where);
    if (!succeeds) expected = before;
    note_comparison(succeeds, wanted, before, desired);
    return succeeds;
  }
  /// The same where older values are kept.
  bool compare_exchange_any(T& expected, const T& wanted, const T& desired, bool weak, memory_order success,
      memory_order failure, Where where) const {
    note_order(Operation::atomic_compare_exchange, success, failure, where);
    runtime::AtomicRequest request =
        cell().request(Operation::atomic_compare_exchange, success, true, true, where);
    request.expected = std::addressof(wanted);
    request.on_failure = failure;
    request.may_fail_spuriously = weak && runtime::run.options.spurious_failures;
    T before = wanted;
    const bool succeeds = cell().compare_exchange_any(request, desired, before);
    if (!succeeds) expected = before;
    note_comparison(succeeds, wanted, before, desired);
    return succeeds;
  }
  HOCKET_HOT static void note_comparison(bool succeeds, const T& wanted, const T& before, const T& desired) {
    if (runtime::run.recording) [[unlikely]] {
      const runtime::OwnMemory own;
      runtime::recording::note_comparison(succeeds, text_of(wanted), text_of(before), text_of(desired));
    }
  }

  void notify(bool all, Where where) const {
    if (!runtime::is_controlled()) {
      all ? outside().notify_all() : outside().notify_one();
      return;
    }
    runtime::step::atomic_notify(object(), all, where);
  }

  HOCKET_HOT static void note(const T& what) {
    if (runtime::run.recording) [[unlikely]] {
      const runtime::OwnMemory own;  // the text is not memory of the body
      runtime::recording::note_value(text_of(what));
    }
  }
  static std::string text_of(const T& value) { return ModelledCell<Place, T>::text_of(value); }
};

}  // namespace detail

}  // namespace hocket
