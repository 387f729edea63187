// pthread_barrier_t.
//
// A barrier is composed of what the runtime has: a mutex, a condition variable and a count. A thread that
// waits executes the steps of a hand-written barrier.
//
// The program may destroy a barrier as soon as one thread has returned from waiting. After that the other
// threads need only its mutex, which does not belong to the program. Destruction therefore destroys only the
// condition variable.
#include "barriers.hpp"

#include <cerrno>
#include <cstdint>

#include <pthread.h>

#include "../../../runtime/execution/allocations.hpp"
#include "../../../runtime/execution/locking.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../shadow/models.hpp"

namespace hocket::unmodified {

namespace {

using runtime::Operation;
using runtime::Where;

struct Barrier {
  explicit Barrier(unsigned the_threads) : threads(the_threads) {}
  unsigned threads;
  unsigned arrived = 0;
  std::uint64_t round = 0;
};

struct Barriers {
  AddressMap<Barrier*> by_address;
  Pool<Barrier> made;
};

Barriers& barriers() {
  static auto* const all = new Barriers;
  return *all;
}

runtime::Mutex& mutex_of(pthread_barrier_t* barrier) {
  return models().mutexes.find(
      barrier, [](auto& pool, runtime::FoundAt place) -> runtime::Mutex& { return pool.make(place); });
}
runtime::ConditionVariable& condition_of(pthread_barrier_t* barrier) {
  return models().conditions.find(
      barrier, [](auto& pool, runtime::FoundAt place) -> runtime::ConditionVariable& {
        return pool.make(true, place);
      });
}

int wait(pthread_barrier_t* object, Barrier& barrier) {
  if (!runtime::step::touch(condition_of(object), Operation::none, Where{})) return 0;
  runtime::Mutex& mutex = mutex_of(object);
  if (!runtime::arrive_to_take(mutex, Operation::mutex_lock, Where{})) return 0;
  hocket::runtime::lock(mutex, Operation::mutex_lock);
  const bool is_last = ++barrier.arrived == barrier.threads;
  if (is_last) {
    barrier.arrived = 0;
    ++barrier.round;
    runtime::step::condition_notify(condition_of(object), true, Where{});
  } else {
    for (const std::uint64_t round = barrier.round; round == barrier.round;) {
      bool expired = false;
      if (!runtime::step::condition_wait(
              condition_of(object), &mutex, runtime::kForever, expired, nullptr, Where{}))
        return 0;
    }
  }
  if (runtime::step::arrive(mutex, Operation::mutex_unlock, true, Where{}))
    static_cast<void>(hocket::runtime::unlock(mutex, Where{}));
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

void destroy(pthread_barrier_t* object) {
  runtime::step::destroy(condition_of(object), Where{});
  if (const runtime::Mutex* const mutex = models().mutexes.find_known(object); mutex != nullptr)
    hocket::runtime::misuse::ended_in_use(
        *mutex, hocket::runtime::misuse::End::destruction, Where{}, Operation::mutex_lock);
}

}  // namespace

void forget_barriers() {
  barriers().by_address.clear();
  barriers().made.clear();
}

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside

extern "C" {

int pthread_barrier_init(
    pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes, unsigned count) noexcept {
  const int error = HOCKET_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (error != 0 || !is_from_body()) return error;
  const hocket::runtime::OwnMemory own;
  barriers().by_address.insert(reinterpret_cast<std::uintptr_t>(barrier)) = &barriers().made.make(count);
  models().mutexes.forget(barrier);
  models().conditions.forget(barrier);
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  HOCKET_ENTRY(pthread_barrier_destroy, barrier);
  hocket::unmodified::destroy(barrier);
  return 0;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  HOCKET_ENTRY(pthread_barrier_wait, barrier);
  Barrier** const known = barriers().by_address.find(reinterpret_cast<std::uintptr_t>(barrier));
  if (known == nullptr) {
    const hocket::runtime::OwnMemory own;
    hocket::runtime::step::fail(hocket::runtime::FailureKind::misuse,
        "pthread_barrier_wait() on a barrier that was not made in the body: call pthread_barrier_init() "
        "there",
        hocket::runtime::Where{});
    return EINVAL;
  }
  return hocket::unmodified::wait(barrier, **known);
}

}  // extern "C"
