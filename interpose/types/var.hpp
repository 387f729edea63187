// hocket::var<T>: plain data that threads share. Hocket finds data races on it, and the recorded schedule
// shows the accesses to it.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "atomic_operations.hpp"
#include "value_text.hpp"

namespace hocket {

template <class T>
class atomic_ref;

/// Holds a T that is read and written as plain data. An access is not a step: it happens inside the current
/// step of its thread, as a plain access would. Two accesses by two threads are a data race, and so a
/// failure, if they are not ordered and at least one of them is a write. Construction and destruction are
/// writes. A var outside the body begins each execution with the value that it had before and without earlier
/// accesses.
template <class T>
class var : private runtime::Var {
  using Where = runtime::Where;
  using VarAccess = runtime::VarAccess;

 public:
  var(Where where = Where::current())  // NOLINT(google-explicit-constructor)
      requires std::default_initializable<T> : Var(kKind, where),
                                               value_() {
    made(where);
  }
  var(T value, Where where = Where::current())  // NOLINT(google-explicit-constructor)
      : Var(kKind, where), value_(std::move(value)) {
    made(where);
  }
  var(const var& other) : var(T(other.get(Where{})), Where{}) {}
  var& operator=(const var& other) {
    set(T(other.get(Where{})), Where{});
    return *this;
  }
  ~var() {
    if (runtime::is_controlled() && life == runtime::run.life) {
      runtime::step::access(*this, VarAccess::destroy, Where{});
      if (runtime::run.recording) [[unlikely]]
        runtime::step::note_end_of(*this, Where{});
    }
    if (place_outside != 0 || runtime::run.counts_objects) runtime::step::forget(*this);
    end_life();
  }

  // Always inlined, whatever the compiler's options, so that the runtime can tell the accesses of a program
  // apart by the address of the code that makes them: see step::access().
  [[nodiscard, gnu::always_inline]] const T& get(Where where = Where::current()) const {
    access(VarAccess::read, where);
    note(runtime::Access::read, where);
    return value_;
  }
  [[gnu::always_inline]] operator const T&()
      const {  // NOLINT(google-explicit-constructor): reads like plain data
    return get(Where{});
  }

  [[gnu::always_inline]] void set(T value, Where where = Where::current()) {
    access(VarAccess::write, where);
    value_ = std::move(value);
    note(runtime::Access::write, where);
  }
  [[gnu::always_inline]] var& operator=(T value) {
    set(std::move(value), Where{});
    return *this;
  }

  /// Reads and writes the value: `change(value)` gets a reference to it.
  template <class Change>
  [[gnu::always_inline]] void modify(Change&& change, Where where = Where::current()) {
    access(VarAccess::read, where);
    note(runtime::Access::read, where);
    std::forward<Change>(change)(value_);
    access(VarAccess::write, where);
    note(runtime::Access::write, where);
  }
  [[gnu::always_inline]] var& operator++() {
    modify([](T& value) { ++value; }, Where{});
    return *this;
  }
  [[gnu::always_inline]] var& operator--() {
    modify([](T& value) { --value; }, Where{});
    return *this;
  }
  [[gnu::always_inline]] var& operator+=(const T& by) {
    modify([&](T& value) { value += by; }, Where{});
    return *this;
  }
  [[gnu::always_inline]] var& operator-=(const T& by) {
    modify([&](T& value) { value -= by; }, Where{});
    return *this;
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return *this; }

 private:
  friend class atomic_ref<T>;

  [[gnu::always_inline]] void access(VarAccess access, Where where) const {
    if (runtime::is_controlled()) [[likely]] {
      runtime::step::access(const_cast<var&>(*this), access, where);
    } else {
      runtime::outside_operation();
    }
  }
  // A var in static storage is treated as if it had been constructed outside the body.
  void made(Where where) {
    if (runtime::is_controlled() && life == runtime::run.life) {
      runtime::step::access(*this, VarAccess::make, where);
    }
  }
  [[gnu::always_inline]] void note(runtime::Access access, Where where) const {
    if (runtime::run.recording && runtime::is_controlled()) [[unlikely]] {
      runtime::recording::note_access(*this, access, detail::value_text(value_, this), where);
    }
  }

  static constexpr std::size_t alignment() {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return std::atomic_ref<T>::required_alignment;
    } else {
      return alignof(T);
    }
  }

  alignas(alignment()) T value_;  // before kKind, in whose functions Clang 19 looks for it

  static std::uint64_t fingerprint(const runtime::Object& object) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return detail::atomic_fingerprint(static_cast<const var&>(object).value_);
    } else {
      return 0;
    }
  }

  static constexpr runtime::ObjectKind kKind{"var",
      [](const Object& object) -> void* { return new T(static_cast<const var&>(object).value_); },
      [](Object& object, const void* saved) {
        static_cast<var&>(object).value_ = *static_cast<const T*>(saved);
      },
      [](void* saved) { delete static_cast<T*>(saved); }, &fingerprint, nullptr, true, nullptr, sizeof(var),
      nullptr, nullptr, sizeof(T) <= runtime::kMostStoreBytes};
};

template <class T>
var(T) -> var<T>;

}  // namespace hocket
