// The values of atomics under control: every read and every write of an atomic goes through a cell.
//
// The newest value is in the memory of the atomic itself. Under sequential consistency every read returns it.
// Under the C++ memory model (Run::keeps_stores) the older ones are kept too, and the chooser decides
// which of them an operation reads, or follows: see runtime/weak_memory.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "../../runtime/execution/step.hpp"
#include "../../runtime/terms/operation.hpp"
#include "../../runtime/terms/where.hpp"
#include "../../runtime/weak_memory/atomic_request.hpp"
#include "hot.hpp"
#include "value_text.hpp"

namespace hocket::detail {

/// The cell of an atomic of type T. `Place` says where the value is stored: see AtomicOperations. The
/// functions are called when it is the thread's turn to run. The parameter `counts` is the result of
/// step::arrive(): while an execution is being ended, operations still read and write memory but are
/// not modelled.
template <class Place, class T>
class ModelledCell {
  using Access = runtime::Access;
  using Operation = runtime::Operation;
  using Where = runtime::Where;

 public:
  HOCKET_HOT explicit ModelledCell(const Place& place) : place_(place) {}

  /// The newest value. It is used to compare before it is known whether an operation will write.
  [[nodiscard]] HOCKET_HOT const T& newest() const { return place_.value(); }

  /// Reads the value for `operation` with this memory order.
  HOCKET_HOT T read(bool counts, Operation operation, std::memory_order order, Where where) const {
    if (counts) {
      if constexpr (kKeepsStores) {
        if (runtime::run.keeps_stores) [[unlikely]]
          return read_any(request(operation, order, true, false, where));
      }
      act(operation, Access::read, order);
    }
    return place_.value();
  }
  /// Writes `desired` for `operation`.
  HOCKET_HOT void write(
      bool counts, Operation operation, std::memory_order order, const T& desired, Where where) const {
    if (counts) {
      if constexpr (kKeepsStores) {
        if (runtime::run.keeps_stores) [[unlikely]]
          return write_any(request(operation, order, false, true, where), desired);
      }
      act(operation, Access::write, order);
    }
    place_.value() = desired;
  }
  /// Reads the value for `operation` and writes `change(value)`. Returns the value that was read.
  template <class Change>
  HOCKET_HOT T update(
      bool counts, Operation operation, std::memory_order order, Change change, Where where) const {
    if (counts) {
      if constexpr (kKeepsStores) {
        if (runtime::run.keeps_stores) [[unlikely]]
          return update_any(request(operation, order, true, true, where), change);
      }
      act(operation, Access::write, order);
    }
    const T before = place_.value();
    place_.value() = change(before);
    return before;
  }

  static std::string text_of(const T& value) {
    if constexpr (requires { Place::as_text(value); }) {
      return Place::as_text(value);
    } else {
      return value_text(value);
    }
  }

  /// Whether older values are kept, if the execution does.
  static constexpr bool kKeepsStores = sizeof(T) <= runtime::kMostStoreBytes && Place::kKeepsStores;

  // -- While they are: operations that may read another value than the newest

  /// What such an operation does.
  [[nodiscard]] runtime::AtomicRequest request(
      Operation operation, std::memory_order order, bool reads, bool writes, Where where) const {
    return {place_.object(), operation, order, reads, writes, std::addressof(place_.value()), sizeof(T),
        [](const std::byte* value) { return text_of(std::bit_cast<T>(bytes_at(value))); }, where};
  }
  /// A compare-exchange of `wanted` for `desired`. Sets `before` to the value that was read, and returns
  /// whether it has succeeded.
  [[gnu::noinline]] bool compare_exchange_any(
      runtime::AtomicRequest& request, const T& desired, T& before) const {
    request.code = __builtin_return_address(0);
    place_.prepare();
    runtime::Store* const found = runtime::step::choose_store(request);
    before = found != nullptr ? value_of(*found) : place_.value();
    if (found == nullptr) return false;
    const bool succeeds =
        request.finds_expected(*found) && !runtime::step::fails_at_chosen_store(request.where);
    act_on(request, *found, succeeds, desired);
    return succeeds;
  }

 private:
  [[gnu::noinline]] T read_any(runtime::AtomicRequest request) const {
    request.code = __builtin_return_address(0);
    place_.prepare();
    runtime::Store* const found = runtime::step::choose_store(request);
    if (found == nullptr) return place_.value();
    const T value = value_of(*found);
    runtime::step::act_on_store(request, *found, false, nullptr);
    return value;
  }
  [[gnu::noinline]] void write_any(runtime::AtomicRequest request, const T& desired) const {
    request.code = __builtin_return_address(0);
    place_.prepare();
    if (runtime::Store* const found = runtime::step::choose_store(request); found != nullptr)
      act_on(request, *found, true, desired);
  }
  template <class Change>
  [[gnu::noinline]] T update_any(runtime::AtomicRequest request, Change change) const {
    request.code = __builtin_return_address(0);
    place_.prepare();
    runtime::Store* const found = runtime::step::choose_store(request);
    if (found == nullptr) return place_.value();
    const T before = value_of(*found);
    act_on(request, *found, true, change(before));
    return before;
  }

  void act_on(const runtime::AtomicRequest& request, runtime::Store& found, bool writes, T desired) const {
    const bool is_newest = runtime::step::act_on_store(request, found, writes, std::addressof(desired));
    // As bytes, so that what lies between the members of T stays what the history has of it.
    if (writes && is_newest) std::memcpy(std::addressof(place_.value()), std::addressof(desired), sizeof(T));
  }
  static std::array<std::byte, sizeof(T)> bytes_at(const std::byte* value) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), value, sizeof(T));
    return bytes;
  }
  static T value_of(const runtime::Store& store) { return std::bit_cast<T>(bytes_at(store.value.data())); }

  HOCKET_HOT void act(Operation operation, Access access, std::memory_order order) const {
    place_.prepare();
    runtime::step::act(place_.object(), operation, access, order);
  }

  const Place& place_;
};

}  // namespace hocket::detail
