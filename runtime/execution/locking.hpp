// Mutexes and semaphores: what the current thread does to them in its turn, and how it gets that turn where
// it may have to wait.
//
// Which thread waits for what is in the models (objects.hpp), and what an operation needs is in its row
// (semantics.hpp). These functions are inlined into the public types.
#pragma once

#include <cassert>
#include <cstddef>

#include "../diagnosis/misuse.hpp"
#include "../objects/object.hpp"
#include "../objects/objects.hpp"
#include "../terms/operation.hpp"
#include "../terms/semantics.hpp"
#include "../terms/where.hpp"
#include "execution.hpp"

namespace hocket::runtime {

/// While recording: note that the current thread took `lock`, and that it gave it back.
void note_held(Execution& e, const Object& lock, bool is_shared);
void note_released(Execution& e, const Object& lock);

/// Called for every kind of lock when the current thread takes it and gives it back. The count is kept
/// because a thread must not end while it holds a lock.
inline void now_held(Execution& e, const Object& lock, bool is_shared = false) {
  ++run.current->locks_held;
  if (run.recording) [[unlikely]]
    note_held(e, lock, is_shared);
}
inline void no_longer_held(Execution& e, const Object& lock) {
  --run.current->locks_held;
  if (run.recording) [[unlikely]]
    note_released(e, lock);
}

// -- Mutexes. Those that return bool return false when the execution is being ended.

inline void lock(Execution& e, Mutex& mutex, Operation operation) {
  mutex.state.lock(run.current->index);
  e.actions.act(mutex, operation, Access::write);
  now_held(e, mutex);
  e.enabled_threads.now_unavailable(mutex.state.waiting);
}
[[nodiscard]] inline bool unlock(Execution& e, Mutex& mutex, Where where) {
  if (mutex.state.owner != run.current->index) [[unlikely]]
    return misuse::unlocked_by_stranger(e, mutex, mutex.state.owner, where);
  e.actions.act(mutex, Operation::mutex_unlock, Access::write);
  no_longer_held(e, mutex);
  if (mutex.state.unlock()) e.enabled_threads.now_available(mutex.state.waiting);
  return true;
}

inline void lock(Execution& e, SharedMutex& mutex, Operation operation) {
  mutex.state.owner = run.current->index;
  e.actions.act(mutex, operation, Access::write);
  now_held(e, mutex);
  e.enabled_threads.now_unavailable(mutex.state.waiting);
  e.enabled_threads.now_unavailable(mutex.state.waiting_shared);
}
[[nodiscard]] inline bool unlock(Execution& e, SharedMutex& mutex, Where where) {
  if (mutex.state.owner != run.current->index) [[unlikely]]
    return misuse::unlocked_by_stranger(e, mutex, mutex.state.owner, where);
  e.actions.act(mutex, Operation::mutex_unlock, Access::write);
  no_longer_held(e, mutex);
  mutex.state.owner = kNobody;
  mutex.state.sections.end();
  e.enabled_threads.now_available(mutex.state.waiting);
  e.enabled_threads.now_available(mutex.state.waiting_shared);
  return true;
}
inline void lock_shared(Execution& e, SharedMutex& mutex, Operation operation) {
  mutex.state.readers.insert(run.current->index);
  e.actions.act(mutex, operation, Access::write);
  now_held(e, mutex, true);
  e.enabled_threads.now_unavailable(mutex.state.waiting);
}
[[nodiscard]] inline bool unlock_shared(Execution& e, SharedMutex& mutex, Where where) {
  if (!mutex.state.readers.contains(run.current->index)) [[unlikely]]
    return misuse::unlocked_by_stranger(e, mutex, mutex.state.owner, where);
  e.actions.act(mutex, Operation::mutex_unlock_shared, Access::write);
  no_longer_held(e, mutex);
  mutex.state.unlock_shared(run.current->index);
  if (!mutex.state.is_shared()) e.enabled_threads.now_available(mutex.state.waiting);
  return true;
}

// -- Semaphores

inline void acquire(Execution& e, Semaphore& semaphore, Operation operation) {
  --semaphore.state.count;
  e.actions.act(semaphore, operation, Access::write);
  if (semaphore.state.count == 0) e.enabled_threads.now_unavailable(semaphore.state.waiting);
}
inline void release(Execution& e, Semaphore& semaphore, std::ptrdiff_t count) {
  assert(count >= 0);
  semaphore.state.count += count;
  e.actions.act(semaphore, Operation::semaphore_release, Access::write);
  if (semaphore.state.count != 0) e.enabled_threads.now_available(semaphore.state.waiting);
}

// -- All of them, by what the operation needs

/// Like Scheduling::arrive(), for an operation that waits until `model` has what it needs.
template <class Model>
[[nodiscard, gnu::always_inline]] inline bool arrive_to_take(
    Execution& e, Model& model, Operation operation, Where where) {
  const Need need = semantics_of(operation).needs;
  const bool ready = can_take(model, need, run.current->index);
  return e.scheduling.arrive_to_wait(model, operation, ready, waiting_for(model, need), where);
}

/// Whether the state of the model, which a thread that was chosen finds, is what its operation needs.
template <class Model>
[[nodiscard]] bool is_there_to_take(const Model& model, Operation operation) {
  return can_take(model, semantics_of(operation).needs, run.current->index);
}

inline void take(Execution& e, Mutex& mutex, Operation operation) {
  assert(is_there_to_take(mutex, operation));
  lock(e, mutex, operation);
}
inline void take(Execution& e, SharedMutex& mutex, Operation operation) {
  assert(is_there_to_take(mutex, operation));
  semantics_of(operation).needs == Need::shared_lock ? lock_shared(e, mutex, operation)
                                                     : lock(e, mutex, operation);
}
inline void take(Execution& e, Semaphore& semaphore, Operation operation) {
  assert(is_there_to_take(semaphore, operation));
  acquire(e, semaphore, operation);
}

/// The effect of a try: it takes what the operation needs, or fails if that is not available. Returns whether
/// it has taken it.
template <class Model>
[[nodiscard]] bool take_or_fail(Execution& e, Model& model, Operation operation) {
  const bool can = can_take(model, semantics_of(operation).needs, run.current->index);
  assert(!may_expire(operation) || can == (run.current->mode != Mode::expire));
  if (can) {
    take(e, model, operation);
  } else {
    e.actions.act(model, operation, Access::read);
  }
  if (run.recording) recording::note_outcome(can);
  return can;
}

}  // namespace hocket::runtime
