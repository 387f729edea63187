// hocket::var<T>: plain data that threads share, whose accesses the recorded schedule shows.
#pragma once

#include <hocket/runtime/where.hpp>
#include <type_traits>
#include <utility>

#include <hocket/interpose/value_text.hpp>
#include <hocket/runtime/execution.hpp>

namespace hocket {

/// Holds a T that is read and written as plain data. An access is not a step: it happens inside the step of
/// its thread, as a plain access would. A var outside the body begins each execution with the value that it
/// had.
template <class T>
class var : private runtime::Object {
  using Where = runtime::Where;

 public:
  var(Where where = Where::current())  // NOLINT(google-explicit-constructor)
      requires std::default_initializable<T> : Object(kKind, where),
                                               value_() {}
  var(T value, Where where = Where::current())  // NOLINT(google-explicit-constructor)
      : Object(kKind, where), value_(std::move(value)) {}
  var(const var& other) : var(T(other.get())) {}
  var& operator=(const var& other) {
    set(T(other.get()));
    return *this;
  }
  ~var() {
    if (outsider != 0 || runtime::execution.counts_objects) runtime::execution.forget(*this);
    end_life();
  }

  [[nodiscard]] const T& get(Where where = Where::current()) const {
    access(runtime::Access::read, where);
    return value_;
  }
  operator const T&() const {
    return get(Where{});
  }  // NOLINT(google-explicit-constructor): reads like plain data

  void set(T value, Where where = Where::current()) {
    access(runtime::Access::write, where, false);
    value_ = std::move(value);
    note(runtime::Access::write, where);
  }
  var& operator=(T value) {
    set(std::move(value), Where{});
    return *this;
  }

  /// A read and a write: `change(value)` gets a reference.
  template <class Change>
  void modify(Change&& change, Where where = Where::current()) {
    access(runtime::Access::read, where);
    std::forward<Change>(change)(value_);
    access(runtime::Access::write, where);
  }
  var& operator++() {
    modify([](T& value) { ++value; }, Where{});
    return *this;
  }
  var& operator--() {
    modify([](T& value) { --value; }, Where{});
    return *this;
  }
  var& operator+=(const T& by) {
    modify([&](T& value) { value += by; }, Where{});
    return *this;
  }
  var& operator-=(const T& by) {
    modify([&](T& value) { value -= by; }, Where{});
    return *this;
  }

  /// For hocket::name.
  [[nodiscard]] const runtime::Object& hocket_object() const { return *this; }

 private:
  void access(runtime::Access access, Where where, bool noted = true) const {
    if (!runtime::is_controlled()) {
      runtime::outside_operation();
      return;
    }
    runtime::execution.touch(const_cast<var&>(*this), runtime::Operation::none, where);
    if (noted) note(access, where);
  }
  void note(runtime::Access access, Where where) const {
    if (!runtime::is_controlled() || !runtime::execution.recording) return;
    runtime::execution.note_access(*this, access, detail::value_text(value_), where);
  }

  static constexpr runtime::ObjectKind kKind{"var",
      [](const Object& object) -> void* { return new T(static_cast<const var&>(object).value_); },
      [](Object& object, const void* saved) {
        static_cast<var&>(object).value_ = *static_cast<const T*>(saved);
      },
      [](void* saved) { delete static_cast<T*>(saved); }};

  T value_;
};

template <class T>
var(T) -> var<T>;

}  // namespace hocket
