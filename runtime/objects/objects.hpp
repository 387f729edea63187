// The modelled objects: plain values that say which thread holds what and which threads wait. HocketObjects
// (hocket::mutex, …) hold one each.
//
// A model knows nothing about fibers or schedules. Execution asks it whether an operation can complete, and
// applies effects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../terms/semantics.hpp"
#include "../terms/thread_set.hpp"
#include "object.hpp"

namespace hocket::runtime {

inline constexpr std::uint16_t kNobody = 0xffff;
inline constexpr std::uint16_t kOutside = 0xfffe;  ///< held by code outside the body

/// Counts the critical sections under a lock, for a thread that polls what the lock protects: the data may
/// have changed after each section. See interpose/unmodified/hooks/polling.hpp.
struct Sections {
  std::uint32_t ended = 0;  ///< except those that are known to have changed nothing
  /// Another thread has failed to take the lock since it was last taken for one thread alone.
  bool were_in_the_way = false;

  void end() {
    ++ended;
    were_in_the_way = false;
  }
};

/// A mutex, recursive or not.
struct MutexState {
  std::uint16_t owner = kNobody;
  bool recursive = false;
  bool was_taken_in_attempt = false;  ///< by std::lock, which may give it back: see StandardLock
  Sections sections{};
  std::uint32_t depth = 0;
  ThreadSet waiting;  ///< stopped before an operation that needs the mutex free

  [[nodiscard]] bool can_lock(unsigned thread) const {
    return owner == kNobody || (recursive && owner == thread);
  }
  void lock(unsigned thread) {
    owner = static_cast<std::uint16_t>(thread);
    ++depth;
  }
  /// Returns whether the mutex is free now.
  bool unlock() {
    if (--depth != 0) return false;
    owner = kNobody;
    sections.end();
    return true;
  }
};

/// A reader-writer lock. A thread must not hold it twice, in either mode.
struct SharedMutexState {
  std::uint16_t owner = kNobody;
  std::uint16_t outside_readers = 0;  ///< shared holds taken by code outside the body
  bool was_taken_in_attempt = false;  ///< by std::lock, which may give it back: see StandardLock
  Sections sections{};
  ThreadSet readers;
  ThreadSet readers_in_the_way;  ///< those that were there when a thread failed to take the lock
  ThreadSet waiting;             ///< stopped before an exclusive lock
  ThreadSet waiting_shared;      ///< stopped before a shared lock

  [[nodiscard]] bool is_shared() const { return outside_readers != 0 || !readers.empty(); }
  [[nodiscard]] bool can_lock() const { return owner == kNobody && !is_shared(); }
  [[nodiscard]] bool can_lock_shared() const { return owner == kNobody; }
  void unlock_shared(unsigned thread) {
    readers.erase(thread);
    readers_in_the_way.erase(thread);
    ++sections.ended;
  }
};

struct SemaphoreState {
  std::ptrdiff_t count = 0;
  ThreadSet waiting;  ///< stopped before an acquire

  [[nodiscard]] bool can_acquire() const { return count > 0; }
};

struct ConditionState {
  ThreadSet waiters;  ///< threads that wait here and have not been notified
};

/// The save, restore and discard functions of a type whose modelled state `Model::state` is trivially
/// copyable.
template <class Model>
struct PlainSnapshot {
  using State = decltype(Model::state);
  static void* save(const Object& object) { return new State(static_cast<const Model&>(object).state); }
  static void restore(Object& object, const void* saved) {
    static_cast<Model&>(object).state = *static_cast<const State*>(saved);
  }
  static void discard(void* saved) { delete static_cast<State*>(saved); }
};

extern const ObjectKind kMutexKind;
extern const ObjectKind kRecursiveMutexKind;
extern const ObjectKind kSharedMutexKind;
extern const ObjectKind kSemaphoreKind;
extern const ObjectKind kConditionVariableKind;
extern const ObjectKind kAnnotationKind;

struct Mutex : Object {
  MutexState state;
  explicit Mutex(Where where, bool recursive = false);
  explicit Mutex(FoundAt place, bool recursive = false);
};

struct SharedMutex : Object {
  SharedMutexState state;
  explicit SharedMutex(Where where);
  explicit SharedMutex(FoundAt place);
};

struct Semaphore : Object {
  SemaphoreState state;
  std::ptrdiff_t most;  ///< the maximum of the count
  Semaphore(std::ptrdiff_t count, std::ptrdiff_t most, Where where);
  Semaphore(std::ptrdiff_t count, std::ptrdiff_t most, FoundAt place);
};

struct ConditionVariable : Object {
  ConditionState state;
  bool one_mutex;  ///< simultaneous waits must use the same mutex, as for std::condition_variable
  ConditionVariable(bool one_mutex, Where where);
  ConditionVariable(bool one_mutex, FoundAt place);
};

/// An ordering between threads that the program declares because it cannot be observed. It has no state.
struct Annotation : Object {
  explicit Annotation(FoundAt place);
};

// -- What is taken and waited for: whether an object has what an operation of `thread` needs, and the set of
// threads stopped before such operations. Always inlined where the type of the object is known, as in
// synchronization.hpp.

[[gnu::always_inline]] inline bool can_take(const Mutex& mutex, Need /*need*/, unsigned thread) {
  return mutex.state.can_lock(thread);
}
[[gnu::always_inline]] inline ThreadSet& waiting_for(Mutex& mutex, Need /*need*/) {
  return mutex.state.waiting;
}
[[gnu::always_inline]] inline bool can_take(const SharedMutex& mutex, Need need, unsigned /*thread*/) {
  return need == Need::shared_lock ? mutex.state.can_lock_shared() : mutex.state.can_lock();
}
[[gnu::always_inline]] inline ThreadSet& waiting_for(SharedMutex& mutex, Need need) {
  return need == Need::shared_lock ? mutex.state.waiting_shared : mutex.state.waiting;
}
[[gnu::always_inline]] inline bool can_take(const Semaphore& semaphore, Need /*need*/, unsigned /*thread*/) {
  return semaphore.state.can_acquire();
}
[[gnu::always_inline]] inline ThreadSet& waiting_for(Semaphore& semaphore, Need /*need*/) {
  return semaphore.state.waiting;
}

/// The same for any object to which an operation with that need applies.
inline bool can_take(const Object& object, Need need, unsigned thread) {
  if (object.kind == &kSemaphoreKind) return can_take(static_cast<const Semaphore&>(object), need, thread);
  if (object.kind == &kSharedMutexKind)
    return can_take(static_cast<const SharedMutex&>(object), need, thread);
  return can_take(static_cast<const Mutex&>(object), need, thread);
}
inline ThreadSet& waiting_for(Object& object, Need need) {
  if (object.kind == &kSemaphoreKind) return waiting_for(static_cast<Semaphore&>(object), need);
  if (object.kind == &kSharedMutexKind) return waiting_for(static_cast<SharedMutex&>(object), need);
  return waiting_for(static_cast<Mutex&>(object), need);
}

/// The same for an object of that kind whose ObjectKind::fingerprint is `state`. `thread` is the thread's
/// key.
bool can_take(const ObjectKind& kind, std::uint64_t state, Need need, std::uint64_t thread);

}  // namespace hocket::runtime
