// hocket::atomic_ref: std::atomic_ref under control.
#pragma once

#include <atomic>
#include <memory>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/where.hpp"
#include "atomic_operations.hpp"
#include "hot.hpp"
#include "var.hpp"

namespace hocket {

/// Atomic operations on plain data. Each operation is a step and also an access to the var: it races with a
/// plain access with which it is not ordered.
template <class T>
class atomic_ref : public detail::AtomicOperations<atomic_ref<T>, T> {
  using Operations = detail::AtomicOperations<atomic_ref<T>, T>;

 public:
  explicit atomic_ref(var<T>& data) : data_(std::addressof(data)) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;

  HOCKET_HOT T operator=(
      T desired) const {  // NOLINT(misc-unconventional-assign-operator): as std::atomic_ref
    this->store(desired, memory_order_seq_cst, runtime::Where{});
    return desired;
  }

 private:
  friend Operations;
  friend detail::ModelledCell<atomic_ref, T>;
  [[nodiscard]] HOCKET_HOT runtime::Object& object() const { return *data_; }
  [[nodiscard]] HOCKET_HOT T& value() const { return data_->value_; }
  void prepare() const { runtime::step::prepare(*data_); }
  static constexpr bool kKeepsStores = true;

  var<T>* data_;
};

template <class T>
atomic_ref(var<T>&) -> atomic_ref<T>;

}  // namespace hocket
