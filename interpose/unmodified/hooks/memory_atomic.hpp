// The program's atomics, which are bytes of its memory: operations on those of 1, 2, 4, 8 and 16 bytes.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>

#include "../../types/atomic_operations.hpp"
#include "../memory/heap.hpp"
#include "../naming/address_names.hpp"
#include "../shadow/cells.hpp"
#include "atomic_regions.hpp"
#include "polling.hpp"

namespace hocket::unmodified {

/// A value of sixteen bytes. Only one OS thread runs bodies, so plain copies of it are atomic there.
struct alignas(16) TwoWords {
  std::uint64_t words[2];
};

/// The cell of `size` bytes at `address`, on which an atomic operation is about to be executed.
inline Cell& atomic_cell(std::uintptr_t address, std::size_t size) {
  Cell& cell = cells().find(address, static_cast<std::uint32_t>(size));
  if (!cell.has(Cell::kIsAtomic)) [[unlikely]]
    atomic_regions().enter(cell);
  return cell;
}

/// To be called before an atomic operation on `size` bytes at `address`, when it is the thread's turn.
[[gnu::always_inline]] inline void check_atomic_access(std::uintptr_t address, std::size_t size) {
  constexpr const char* kDoes = "atomically accesses";
  if (HeapSpace::contains(address)) {
    heap().check(address, size, kDoes);
  } else if (StackSpace::contains(address)) {
    const std::uintptr_t stack_pointer = runtime::run.current->instrumented.entered_at;
    if (!Stacks::is_in_use(address, stack_pointer)) [[unlikely]]
      Stacks::check(address, stack_pointer, kDoes);
  }
}

/// An atomic of the program, which consists of bytes of its memory.
template <class T>
class MemoryAtomic : public detail::AtomicOperations<MemoryAtomic<T>, T> {
 public:
  explicit MemoryAtomic(const volatile void* at)
      : cell_(atomic_cell(reinterpret_cast<std::uintptr_t>(at), sizeof(T))), shared_(cell_) {}

  runtime::Object& object() const { return cell_; }
  T& value() const { return *reinterpret_cast<T*>(cell_.address); }
  static constexpr bool kKeepsStores = false;
  void prepare() const {
    check_atomic_access(cell_.address, sizeof(T));
    runtime::step::prepare(cell_);
    if (cell_.has(Cell::kIsShared)) [[unlikely]]
      unite_order_of(cell_);
  }

  static std::string as_text(const T& value) requires std::unsigned_integral<T> {
    return text_of_number(value, sizeof(T));
  }

  /// To be called after an operation that has made this kind of access to the memory.
  void check_overlaps(runtime::VarAccess access) const {
    if (cell_.has(Cell::kOverlaps)) [[unlikely]]
      Cells::check_others(cell_, access);
  }

  /// Runs an operation that may leave the memory unchanged and that returns the value it has found there.
  template <class Operate>
  [[gnu::always_inline]] T look(Operate&& operate) const {
    Look look;
    const T before = operate();
    const std::uint64_t found = fingerprint();
    look.found(cell_, found, detail::atomic_fingerprint(before) == found);
    return before;
  }

  /// The value that a read would find now.
  [[nodiscard]] const T& newest() const { return this->cell().newest(); }
  /// The fingerprint of that value.
  [[nodiscard]] std::uint64_t fingerprint() const { return detail::atomic_fingerprint(newest()); }

  using detail::AtomicOperations<MemoryAtomic<T>, T>::update;

  /// A store by the instruction that follows the call: what it stores is not known before.
  void announce_store(std::memory_order order) const {
    const bool counts = this->arrive(runtime::Operation::atomic_store, order, runtime::Where{});
    this->cell().write(counts, runtime::Operation::atomic_store, order, newest(), runtime::Where{});
  }

 private:
  Cell& cell_;
  TouchesShared shared_;
};

inline std::memory_order order_of(int order) {
  constexpr int kFlags = 0xffff;  // GCC puts hints for lock elision above these bits
  return static_cast<std::memory_order>(order & kFlags);
}

template <class T>
T load(const volatile void* at, int order) {
  const MemoryAtomic<T> atomic(at);
  const T found = atomic.look([&] { return atomic.load(order_of(order), runtime::Where{}); });
  atomic.check_overlaps(runtime::VarAccess::atomic_read);
  return found;
}
template <class T>
void store(volatile void* at, T desired, int order) {
  const MemoryAtomic<T> atomic(at);
  atomic.store(desired, order_of(order), runtime::Where{});
  atomic.check_overlaps(runtime::VarAccess::atomic_write);
}
template <class T>
T exchange(volatile void* at, T desired, int order) {
  const MemoryAtomic<T> atomic(at);
  const T before = atomic.look([&] { return atomic.exchange(desired, order_of(order), runtime::Where{}); });
  atomic.check_overlaps(runtime::VarAccess::atomic_write);
  return before;
}
template <class T, class Change>
T update(volatile void* at, runtime::Operation operation, Change change, int order) {
  const MemoryAtomic<T> atomic(at);
  const T before =
      atomic.look([&] { return atomic.update(operation, change, order_of(order), runtime::Where{}); });
  atomic.check_overlaps(runtime::VarAccess::atomic_write);
  return before;
}
template <class T>
bool compare_exchange(volatile void* at, T& expected, T desired, bool weak, int success, int failure) {
  const MemoryAtomic<T> atomic(at);
  Look look;
  const std::uint64_t awaited = detail::atomic_fingerprint(expected);
  const bool succeeds = weak ? atomic.compare_exchange_weak(
                                   expected, desired, order_of(success), order_of(failure), runtime::Where{})
                             : atomic.compare_exchange_strong(
                                   expected, desired, order_of(success), order_of(failure), runtime::Where{});
  const std::uint64_t found = atomic.fingerprint();
  // What has failed spuriously may succeed in the next round, and the other way round.
  const bool may_differ = weak && runtime::run.options.spurious_failures;
  const bool is_same =
      found == awaited || runtime::is_sabotaged(runtime::Sabotage::compare_exchanges_are_looks);
  look.found(atomic.object(), found, succeeds ? is_same && !may_differ : found != awaited);
  atomic.check_overlaps(succeeds ? runtime::VarAccess::atomic_write : runtime::VarAccess::atomic_read);
  return succeeds;
}

}  // namespace hocket::unmodified
