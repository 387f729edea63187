// pthread_mutex_t, pthread_rwlock_t, pthread_spinlock_t, and the locks of streams. std::mutex,
// std::shared_mutex and similar types also end up here.
//
// In a body the program's object serves only as a name; the model records which thread holds it. The object's
// own contents (its type, and whether code outside the body holds it) are copied into the model when that is
// made.
#include "mutexes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include <pthread.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../hooks/polling.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/time.hpp"
#include "../libstdcxx/standard_lock.hpp"
#include "robust_mutexes.hpp"
#include "writers_first.hpp"

namespace hocket::unmodified {

namespace {

using runtime::execution;
using runtime::Mutex;
using runtime::Operation;
using runtime::run;
using runtime::SharedMutex;
using runtime::Where;

constexpr int kTypeBits = 3;

int type_of(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind & kTypeBits;
}

SharedMutex& rwlock_of(pthread_rwlock_t* lock) {
  return models().shared_mutexes.find(
      lock, [](auto& pool, runtime::FoundAt place) -> SharedMutex& { return pool.make(place); });
}
/// A spin lock is modelled as a mutex: a program cannot tell whether a waiting thread spins or sleeps.
Mutex& spin_lock_of(pthread_spinlock_t* lock) {
  return models().mutexes.find(
      lock, [](auto& pool, runtime::FoundAt place) -> Mutex& { return pool.make(place); });
}

/// The lock that flockfile() takes. Other functions of the stream do not wait for it; a pass says so
/// (untracked_calls.cpp).
Mutex& lock_of(std::FILE* stream) {
  return models().mutexes.find(
      stream, [](auto& pool, runtime::FoundAt place) -> Mutex& { return pool.make(place, true); });
}

/// A try of the current thread has failed. The sections of other threads were in its way: see
/// hooks/polling.hpp.
void note_failed_try(Mutex& model) {
  if (model.state.owner != run.current->index) model.state.sections.were_in_the_way = true;
}
void note_failed_try(SharedMutex& model) {
  const unsigned self = run.current->index;
  if (model.state.owner != self) model.state.sections.were_in_the_way = model.state.owner != runtime::kNobody;
  // With its own: a round with a section that is in its own way changes what its try has found, so it is not
  // silent anyway.
  model.state.readers_in_the_way |= model.state.readers;
}

/// Whether the section that the current thread is about to end was in the way of another thread's try.
bool is_in_the_way(const Mutex& model) {
  return model.state.sections.were_in_the_way;
}
bool is_in_the_way(const SharedMutex& model) {
  const unsigned self = run.current->index;
  return model.state.owner == self ? model.state.sections.were_in_the_way
                                   : model.state.readers_in_the_way.contains(self);
}

/// A try made by the program.
template <class Model>
int take_or_fail(Model& model, Operation operation, int error) {
  const bool taken = runtime::take_or_fail(model, operation);
  if (!taken) note_failed_try(model);
  note_try(model.state, taken);
  return taken ? 0 : error;
}

/// Ends a section under the lock. `unlock(model)` releases the lock.
template <class Model, class Unlock>
int end_section(Model& model, Operation operation, Unlock&& unlock) {
  Look look(Look::Of::section);
  if (!runtime::step::arrive(model, operation, true, Where{})) return 0;
  const std::uint32_t ended_before = model.state.sections.ended;
  const bool was_in_the_way = is_in_the_way(model);
  if (unlock(model)) look.ends_section(model, model.state.sections, ended_before, was_in_the_way);
  return 0;
}

int unlock(Mutex& model) {
  return end_section(
      model, Operation::mutex_unlock, [](auto& held) { return hocket::runtime::unlock(held, Where{}); });
}

int wait_to_lock(Mutex& model) {
  const unsigned self = run.current->index;
  if (model.state.owner == self && !model.state.can_lock(self)) {
    hocket::runtime::misuse::locked_twice(model, Where{});
    return 0;
  }
  Look look(Look::Of::section);
  if (!runtime::arrive_to_take(model, Operation::mutex_lock, Where{})) return 0;
  hocket::runtime::lock(model, Operation::mutex_lock);
  note_taken(model.state);
  look.begins_section(model, model.state.sections, false);
  return 0;
}

// -- Reader-writer locks

enum class Mode { exclusive, shared };

/// Locks for reading that a thread has taken although it had them, as POSIX allows.
struct TakenAgain {
  const SharedMutex* lock;
  unsigned thread;

  bool operator==(const TakenAgain&) const = default;
};
std::vector<TakenAgain>& taken_again() {
  static auto* const all = new std::vector<TakenAgain>;
  return *all;
}

/// The current thread, which has the lock for reading, takes it once more, which changes nothing for others.
int take_again(SharedMutex& model, Operation operation) {
  if (!runtime::step::arrive(model, operation, true, Where{})) return 0;
  runtime::step::act(model, operation, runtime::Access::write);
  const runtime::OwnMemory own;
  taken_again().push_back({&model, run.current->index});
  return 0;
}

/// Gives back what take_again() has taken. Returns whether there was such.
bool give_back_once(SharedMutex& model) {
  std::vector<TakenAgain>& all = taken_again();
  const TakenAgain taken{&model, run.current->index};
  if (std::find(all.begin(), all.end(), taken) == all.end()) return false;
  if (!runtime::step::arrive(model, Operation::mutex_unlock_shared, true, Where{})) return true;
  all.erase(std::find(all.begin(), all.end(), taken));  // others may have taken locks meanwhile
  runtime::step::act(model, Operation::mutex_unlock_shared, runtime::Access::write);
  return true;
}

bool has_for_reading(const SharedMutex& model) {
  return model.state.readers.contains(run.current->index);
}

int lock_in(Mode mode, SharedMutex& model) {
  const unsigned self = run.current->index;
  if (model.state.owner == self) return EDEADLK;
  if (model.state.readers.contains(self)) {
    if (runtime::step::touch(model, Operation::mutex_lock, Where{}))
      hocket::runtime::misuse::locked_twice(model, Where{});
    return 0;
  }
  Look look(Look::Of::section);
  const Operation operation = mode == Mode::exclusive ? Operation::mutex_lock : Operation::mutex_lock_shared;
  if (!runtime::arrive_to_take(model, operation, Where{})) return 0;
  runtime::take(model, operation);
  note_taken(model.state);
  look.begins_section(model, model.state.sections, mode == Mode::shared);
  return 0;
}

int try_lock(SharedMutex& model, Mode mode, int error = EBUSY) {
  const Operation operation =
      mode == Mode::exclusive ? Operation::mutex_try_lock : Operation::mutex_try_lock_shared;
  if (mode == Mode::shared && has_for_reading(model)) return take_again(model, operation);
  Look look;
  if (!runtime::step::arrive(model, operation, true, Where{})) return 0;
  const int result = take_or_fail(model, operation, error);
  look.found(model, model.kind->fingerprint(model), result != 0);
  return result;
}

int try_lock_until(pthread_rwlock_t* lock, Mode mode, clockid_t clock, const timespec* time) {
  if (!is_valid(time)) return EINVAL;
  const std::int64_t left = nanoseconds_until(clock, *time);
  SharedMutex& model = rwlock_of(lock);
  if (writers_first::is_of_kind(lock))
    return writers_first::take(model, mode == Mode::shared, left, ETIMEDOUT);
  if (left == 0) return try_lock(model, mode, ETIMEDOUT);
  const Operation operation =
      mode == Mode::exclusive ? Operation::mutex_try_lock_for : Operation::mutex_try_lock_shared_for;
  if (mode == Mode::shared && has_for_reading(model)) return take_again(model, operation);
  if (!runtime::step::arrive_timed(model, operation, left, Where{})) return 0;
  return take_or_fail(model, operation, ETIMEDOUT);
}

}  // namespace

void forget_locks_taken_again() {
  taken_again().clear();
}

Mutex& mutex_of(pthread_mutex_t* mutex) {
  return models().mutexes.find(mutex, [mutex](auto& pool, runtime::FoundAt place) -> Mutex& {
    Mutex& model = pool.make(place, type_of(mutex) == PTHREAD_MUTEX_RECURSIVE);
    if (mutex->__data.__lock != 0) model.state.lock(runtime::kOutside);
    return model;
  });
}

int lock(pthread_mutex_t* mutex) {
  Mutex& model = mutex_of(mutex);
  const unsigned self = run.current->index;
  if (model.state.owner == self && !model.state.can_lock(self) && type_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
    return EDEADLK;
  return robust_result(mutex, model, wait_to_lock(model));
}

namespace {

int try_lock(Mutex& model, int error = EBUSY) {
  Look look;
  if (!runtime::step::arrive(model, Operation::mutex_try_lock, true, Where{})) return 0;
  const int result = take_or_fail(model, Operation::mutex_try_lock, error);
  look.found(model, model.kind->fingerprint(model), result != 0);
  return result;
}

int try_lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  if (!is_valid(time)) return EINVAL;
  Mutex& model = mutex_of(mutex);
  const std::int64_t left = nanoseconds_until(clock, *time);
  if (left == 0) return robust_result(mutex, model, try_lock(model, ETIMEDOUT));
  if (!runtime::step::arrive_timed(model, Operation::mutex_try_lock_for, left, Where{})) return 0;
  return robust_result(mutex, model, take_or_fail(model, Operation::mutex_try_lock_for, ETIMEDOUT));
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::execution;
using hocket::runtime::Where;

extern "C" {

// -- Mutexes

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  if (is_from_body()) models().mutexes.forget(mutex);
  return HOCKET_REAL(pthread_mutex_init)(mutex, attributes);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  HOCKET_ENTRY(pthread_mutex_destroy, mutex);
  models().mutexes.destroy(mutex, mutex_of(mutex));
  return 0;
}
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  HOCKET_ENTRY(pthread_mutex_lock, mutex);
  return lock(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  HOCKET_ENTRY(pthread_mutex_trylock, mutex);
  hocket::runtime::Mutex& model = mutex_of(mutex);
  return robust_result(mutex, model, try_lock(model));
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  HOCKET_ENTRY(pthread_mutex_timedlock, mutex, time);
  return try_lock_until(mutex, CLOCK_REALTIME, time);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  HOCKET_ENTRY(pthread_mutex_clocklock, mutex, clock, time);
  return try_lock_until(mutex, clock, time);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  HOCKET_ENTRY(pthread_mutex_unlock, mutex);
  hocket::runtime::Mutex& model = mutex_of(mutex);
  const bool reports_other_owner =
      type_of(mutex) == PTHREAD_MUTEX_ERRORCHECK || type_of(mutex) == PTHREAD_MUTEX_RECURSIVE;
  if (reports_other_owner && model.state.owner != run.current->index) return EPERM;
  if (is_robust(mutex)) will_give_back(model);
  return unlock(model);
}

// -- Reader-writer locks

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  if (is_from_body()) models().shared_mutexes.forget(lock);
  return HOCKET_REAL(pthread_rwlock_init)(lock, attributes);
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_destroy, lock);
  models().shared_mutexes.destroy(lock, rwlock_of(lock));
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_rdlock, lock);
  if (writers_first::is_of_kind(lock))
    return writers_first::take(rwlock_of(lock), true, hocket::runtime::kForever, 0);
  hocket::runtime::SharedMutex& model = rwlock_of(lock);
  return has_for_reading(model) ? take_again(model, hocket::runtime::Operation::mutex_lock_shared)
                                : lock_in(Mode::shared, model);
}
// Those of std::shared_mutex (cmake/libstdcxx/shared_mutex), which a thread may not take twice.
int hocket_std_rdlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_rdlock, lock);
  return lock_in(Mode::shared, rwlock_of(lock));
}
int hocket_std_tryrdlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_tryrdlock, lock);
  hocket::runtime::SharedMutex& model = rwlock_of(lock);
  return has_for_reading(model) ? lock_in(Mode::shared, model) : try_lock(model, Mode::shared);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_wrlock, lock);
  if (writers_first::is_of_kind(lock))
    return writers_first::take(rwlock_of(lock), false, hocket::runtime::kForever, 0);
  return lock_in(Mode::exclusive, rwlock_of(lock));
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_tryrdlock, lock);
  if (writers_first::is_of_kind(lock)) return writers_first::take(rwlock_of(lock), true, 0, EBUSY);
  return try_lock(rwlock_of(lock), Mode::shared);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_trywrlock, lock);
  if (writers_first::is_of_kind(lock)) return writers_first::take(rwlock_of(lock), false, 0, EBUSY);
  return try_lock(rwlock_of(lock), Mode::exclusive);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  HOCKET_ENTRY(pthread_rwlock_timedrdlock, lock, time);
  return try_lock_until(lock, Mode::shared, CLOCK_REALTIME, time);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  HOCKET_ENTRY(pthread_rwlock_timedwrlock, lock, time);
  return try_lock_until(lock, Mode::exclusive, CLOCK_REALTIME, time);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  HOCKET_ENTRY(pthread_rwlock_clockrdlock, lock, clock, time);
  return try_lock_until(lock, Mode::shared, clock, time);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  HOCKET_ENTRY(pthread_rwlock_clockwrlock, lock, clock, time);
  return try_lock_until(lock, Mode::exclusive, clock, time);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_rwlock_unlock, lock);
  hocket::runtime::SharedMutex& model = rwlock_of(lock);
  if (writers_first::is_of_kind(lock)) return writers_first::give_back(model);
  if (has_for_reading(model)) {
    if (give_back_once(model)) return 0;
    return end_section(model, hocket::runtime::Operation::mutex_unlock_shared,
        [](auto& held) { return hocket::runtime::unlock_shared(held, Where{}); });
  }
  return end_section(model, hocket::runtime::Operation::mutex_unlock,
      [](auto& held) { return hocket::runtime::unlock(held, Where{}); });
}

// -- Spin locks

int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (is_from_body()) models().mutexes.forget(lock);
  return HOCKET_REAL(pthread_spin_init)(lock, shared);
}
int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_spin_destroy, lock);
  models().mutexes.destroy(lock, spin_lock_of(lock));
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_spin_lock, lock);
  return wait_to_lock(spin_lock_of(lock));
}
int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_spin_trylock, lock);
  return try_lock(spin_lock_of(lock));
}
int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  HOCKET_ENTRY(pthread_spin_unlock, lock);
  return unlock(spin_lock_of(lock));
}

// -- The locks of streams

void flockfile(std::FILE* stream) noexcept {
  HOCKET_ENTRY(flockfile, stream);
  wait_to_lock(lock_of(stream));
}
int ftrylockfile(std::FILE* stream) noexcept {
  HOCKET_ENTRY(ftrylockfile, stream);
  return try_lock(lock_of(stream));
}
void funlockfile(std::FILE* stream) noexcept {
  HOCKET_ENTRY(funlockfile, stream);
  unlock(lock_of(stream));
}

}  // extern "C"
