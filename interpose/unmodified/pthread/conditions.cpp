// pthread_cond_t. std::condition_variable also ends up here.
#include <cerrno>

#include <pthread.h>

#include "../../../runtime/execution/locking.hpp"
#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/time.hpp"
#include "../shadow/models.hpp"
#include "mutexes.hpp"
#include "robust_mutexes.hpp"

namespace hocket::unmodified {

namespace {

using runtime::ConditionVariable;
using runtime::run;
namespace recording = runtime::recording;
using runtime::Where;

ConditionVariable& condition_of(pthread_cond_t* condition) {
  return models().conditions.find(condition,
      [](auto& pool, runtime::FoundAt place) -> ConditionVariable& { return pool.make(true, place); });
}

/// The clock used by pthread_cond_timedwait, as set by pthread_condattr_setclock.
clockid_t clock_of(const pthread_cond_t* condition) {
  constexpr unsigned kMonotonicBit = 2;
  return (condition->__data.__wrefs & kMonotonicBit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::int64_t nanoseconds) {
  ConditionVariable& model = condition_of(condition);
  runtime::Mutex& held = mutex_of(mutex);
  if (held.state.depth > 1 && held.state.owner == run.current->index) {
    hocket::runtime::misuse::waits_holding_twice(model, held, held.state.depth, Where{});
    return EPERM;
  }
  bool expired = false;
  if (is_robust(mutex)) will_give_back(held);
  if (!runtime::step::condition_wait(model, &held, nanoseconds, expired, nullptr, Where{})) return 0;
  if (run.recording) recording::note_value(expired ? "expired" : "woken");
  return robust_result(mutex, held, expired ? ETIMEDOUT : 0);
}

int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  if (!is_valid(time)) return EINVAL;
  return wait(condition, mutex, nanoseconds_until(clock, *time));
}

}  // namespace

}  // namespace hocket::unmodified

using namespace hocket::unmodified;  // NOLINT(google-build-using-namespace): entry points stand outside
using hocket::runtime::Where;

extern "C" {

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  if (is_from_body()) models().conditions.forget(condition);
  return HOCKET_REAL(pthread_cond_init)(condition, attributes);
}
int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  HOCKET_ENTRY(pthread_cond_destroy, condition);
  models().conditions.destroy(condition, condition_of(condition));
  return 0;
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  HOCKET_ENTRY(pthread_cond_wait, condition, mutex);
  return hocket::unmodified::wait(condition, mutex, hocket::runtime::kForever);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  HOCKET_ENTRY(pthread_cond_timedwait, condition, mutex, time);
  return wait_until(condition, mutex, clock_of(condition), time);
}
int pthread_cond_clockwait(
    pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  HOCKET_ENTRY(pthread_cond_clockwait, condition, mutex, clock, time);
  return wait_until(condition, mutex, clock, time);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  HOCKET_ENTRY(pthread_cond_signal, condition);
  hocket::runtime::step::condition_notify(condition_of(condition), false, Where{});
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  HOCKET_ENTRY(pthread_cond_broadcast, condition);
  hocket::runtime::step::condition_notify(condition_of(condition), true, Where{});
  return 0;
}

}  // extern "C"
