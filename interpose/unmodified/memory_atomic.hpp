// Atomics of the program, which are some bytes of its memory: the operations on those of 1, 2, 4, 8 and 16.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>

#include <hocket/interpose/atomic_face.hpp>
#include <hocket/interpose/unmodified/cells.hpp>
#include <hocket/interpose/unmodified/heap.hpp>
#include <hocket/interpose/unmodified/memory_words.hpp>
#include <hocket/interpose/unmodified/place.hpp>
#include <hocket/interpose/unmodified/spinning.hpp>

namespace hocket::unmodified {

/// A value of sixteen bytes. Only one OS thread runs bodies, so plain copies of it are atomic.
struct alignas(16) TwoWords {
  std::uint64_t words[2];
};

/// The object of an atomic that is not known for one yet. One of sixteen bytes whose halves are atomics too
/// is one object with them: with the one that was first.
Cell& object_for_new(Cell& cell);

/// An atomic of the program: some bytes of its memory.
template <class T>
class MemoryAtomic : public detail::AtomicFace<MemoryAtomic<T>, T> {
 public:
  explicit MemoryAtomic(const volatile void* at)
      : words_(reinterpret_cast<std::uintptr_t>(at), sizeof(T)),
        cell_(cells().find(reinterpret_cast<std::uintptr_t>(at), sizeof(T))) {
    if (!cell_.has(Cell::kIsAtomic)) [[unlikely]]
      object_ = &object_for_new(cell_);
  }

  runtime::Object& object() const { return *object_; }
  T& value() const { return *reinterpret_cast<T*>(cell_.address); }
  void prepare() const {
    if (HeapSpace::contains(cell_.address)) heap().check(cell_.address, sizeof(T), "atomically accesses");
    runtime::execution.prepare(*object_);
  }

  static std::string as_text(const T& value) requires std::unsigned_integral<T> {
    return sizeof(T) == sizeof(std::uintptr_t) ? text_of_word(value) : text_of_number(value, sizeof(T));
  }

  /// After an operation that has done this to the memory.
  void check_overlaps(runtime::VarAccess access) const {
    if (cell_.has(Cell::kOverlaps)) [[unlikely]]
      Cells::check_others(cell_, access);
  }

  /// An operation that may leave the memory as it is.
  template <class Operate>
  [[gnu::always_inline]] auto look(Operate&& operate) const {
    Look look;
    const auto result = operate();
    look.found(*object_, detail::atomic_fingerprint(value()));
    return result;
  }

  using detail::AtomicFace<MemoryAtomic<T>, T>::update;

 private:
  TouchesWords words_;
  Cell& cell_;
  Cell* object_ = &cell_;
};

inline std::memory_order order_of(int order) {
  constexpr int kFlags = 0xffff;  // above them GCC puts hints for lock elision
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
  const bool succeeds = atomic.look([&] {
    return weak ? atomic.compare_exchange_weak(
                      expected, desired, order_of(success), order_of(failure), runtime::Where{})
                : atomic.compare_exchange_strong(
                      expected, desired, order_of(success), order_of(failure), runtime::Where{});
  });
  atomic.check_overlaps(succeeds ? runtime::VarAccess::atomic_write : runtime::VarAccess::atomic_read);
  return succeeds;
}

}  // namespace hocket::unmodified
