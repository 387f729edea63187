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
#include "recording.hpp"
#include "run.hpp"
#include "step.hpp"

namespace hocket::runtime {

/// While recording: note that the current thread took `lock`, and that it gave it back.
void note_held(const Object& lock, bool is_shared);
void note_released(const Object& lock);

/// Called for every kind of lock when the current thread takes it and gives it back. The count is kept
/// because a thread must not end while it holds a lock.
inline void now_held(const Object& lock, bool is_shared = false) {
  ++run.current->locks_held;
  if (run.recording) [[unlikely]]
    note_held(lock, is_shared);
}
inline void no_longer_held(const Object& lock) {
  --run.current->locks_held;
  if (run.recording) [[unlikely]]
    note_released(lock);
}

// -- Mutexes. Those that return bool return false when the execution is being ended.

inline void lock(Mutex& mutex, Operation operation) {
  mutex.state.lock(run.current->index);
  step::act(mutex, operation, Access::write);
  now_held(mutex);
  step::now_unavailable(mutex.state.waiting);
}
[[nodiscard]] inline bool unlock(Mutex& mutex, Where where) {
  if (mutex.state.owner != run.current->index) [[unlikely]]
    return misuse::unlocked_by_stranger(mutex, mutex.state.owner, where);
  step::act(mutex, Operation::mutex_unlock, Access::write);
  no_longer_held(mutex);
  if (mutex.state.unlock()) step::now_available(mutex.state.waiting);
  return true;
}

inline void lock(SharedMutex& mutex, Operation operation) {
  mutex.state.owner = run.current->index;
  step::act(mutex, operation, Access::write);
  now_held(mutex);
  step::now_unavailable(mutex.state.waiting);
  step::now_unavailable(mutex.state.waiting_shared);
}
[[nodiscard]] inline bool unlock(SharedMutex& mutex, Where where) {
  if (mutex.state.owner != run.current->index) [[unlikely]]
    return misuse::unlocked_by_stranger(mutex, mutex.state.owner, where);
  step::act(mutex, Operation::mutex_unlock, Access::write);
  no_longer_held(mutex);
  mutex.state.owner = kNobody;
  mutex.state.sections.end();
  step::now_available(mutex.state.waiting);
  step::now_available(mutex.state.waiting_shared);
  return true;
}
inline void lock_shared(SharedMutex& mutex, Operation operation) {
  mutex.state.readers.insert(run.current->index);
  step::act(mutex, operation, Access::write);
  now_held(mutex, true);
  step::now_unavailable(mutex.state.waiting);
}
[[nodiscard]] inline bool unlock_shared(SharedMutex& mutex, Where where) {
  if (!mutex.state.readers.contains(run.current->index)) [[unlikely]]
    return misuse::unlocked_by_stranger(mutex, mutex.state.owner, where);
  step::act(mutex, Operation::mutex_unlock_shared, Access::write);
  no_longer_held(mutex);
  mutex.state.unlock_shared(run.current->index);
  if (!mutex.state.is_shared()) step::now_available(mutex.state.waiting);
  return true;
}

// -- Semaphores

inline void acquire(Semaphore& semaphore, Operation operation) {
  --semaphore.state.count;
  step::act(semaphore, operation, Access::write);
  if (semaphore.state.count == 0) step::now_unavailable(semaphore.state.waiting);
}
inline void release(Semaphore& semaphore, std::ptrdiff_t count) {
  assert(count >= 0);
  semaphore.state.count += count;
  step::act(semaphore, Operation::semaphore_release, Access::write);
  if (semaphore.state.count != 0) step::now_available(semaphore.state.waiting);
}

// -- All of them, by what the operation needs

/// Like step::arrive(), for an operation that waits until `model` has what it needs.
template <class Model>
[[nodiscard, gnu::always_inline]] inline bool arrive_to_take(Model& model, Operation operation, Where where) {
  const Need need = semantics_of(operation).needs;
  const bool ready = can_take(model, need, run.current->index);
  return step::arrive_to_wait(model, operation, ready, waiting_for(model, need), where);
}

/// Whether the state of the model, which a thread that was chosen finds, is what its operation needs.
template <class Model>
[[nodiscard]] bool is_there_to_take(const Model& model, Operation operation) {
  return can_take(model, semantics_of(operation).needs, run.current->index);
}

inline void take(Mutex& mutex, Operation operation) {
  assert(is_there_to_take(mutex, operation));
  lock(mutex, operation);
}
inline void take(SharedMutex& mutex, Operation operation) {
  assert(is_there_to_take(mutex, operation));
  semantics_of(operation).needs == Need::shared_lock ? lock_shared(mutex, operation) : lock(mutex, operation);
}
inline void take(Semaphore& semaphore, Operation operation) {
  assert(is_there_to_take(semaphore, operation));
  acquire(semaphore, operation);
}

/// The effect of a try: it takes what the operation needs, or fails if that is not available. Returns whether
/// it has taken it.
template <class Model>
[[nodiscard]] bool take_or_fail(Model& model, Operation operation) {
  const bool can = can_take(model, semantics_of(operation).needs, run.current->index);
  assert(!may_expire(operation) || can == (run.current->mode != Mode::expire));
  if (can) {
    take(model, operation);
  } else {
    step::act(model, operation, Access::read);
  }
  if (run.recording) recording::note_outcome(can);
  return can;
}

}  // namespace hocket::runtime
