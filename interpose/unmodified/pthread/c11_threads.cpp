// Threads, mutexes, condition variables, once-flags and thread-specific storage of C11's <threads.h>. The
// system's implementations bypass the POSIX functions that this library defines. The ones here call those
// functions, in bodies and outside, because glibc uses the same types for both.
#include <cerrno>
#include <cstdint>

#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <ctime>

#include "../host/call_origin.hpp"
#include "../host/next_symbol.hpp"
#include "../libc/time.hpp"

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t) && sizeof(tss_t) == sizeof(pthread_key_t));

pthread_mutex_t* posix(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* posix(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

/// The C11 result for a POSIX error number.
int result_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ETIMEDOUT:
      return thrd_timedout;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

/// A C11 thread's result is an int; POSIX passes it as a pointer.
void* pointer_of(int result) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(result));
}

}  // namespace

using hocket::unmodified::is_from_body;

extern "C" {

// -- Threads

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  HOCKET_ENTRY_WITHOUT_STEP(thrd_create, thread, function, argument);
  // The function returns an int, which on this platform is the low half of the register in which pointers are
  // returned.
  void* const code = reinterpret_cast<void*>(function);
  return result_of(pthread_create(thread, nullptr, reinterpret_cast<void* (*)(void*)>(code), argument));
}
int thrd_join(thrd_t thread, int* result) {
  HOCKET_ENTRY_WITHOUT_STEP(thrd_join, thread, result);
  void* pointer = nullptr;
  const int error = pthread_join(thread, &pointer);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(pointer));
  return result_of(error);
}
int thrd_detach(thrd_t thread) {
  return result_of(pthread_detach(thread));
}
void thrd_exit(int result) {
  if (!is_from_body()) HOCKET_REAL(thrd_exit)(result);
  pthread_exit(pointer_of(result));
}
void thrd_yield() {
  hocket_sched_yield();
}
int thrd_sleep(const timespec* time, timespec* left) {
  HOCKET_ENTRY_WITHOUT_STEP(thrd_sleep, time, left);
  return hocket_clock_nanosleep(CLOCK_REALTIME, 0, time, left) == 0 ? 0 : -2;
}

// -- Mutexes

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(
      &attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = pthread_mutex_init(posix(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return result_of(error);
}
void mtx_destroy(mtx_t* mutex) {
  pthread_mutex_destroy(posix(mutex));
}
int mtx_lock(mtx_t* mutex) {
  return result_of(pthread_mutex_lock(posix(mutex)));
}
int mtx_trylock(mtx_t* mutex) {
  return result_of(pthread_mutex_trylock(posix(mutex)));
}
int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  return result_of(pthread_mutex_timedlock(posix(mutex), time));
}
int mtx_unlock(mtx_t* mutex) {
  return result_of(pthread_mutex_unlock(posix(mutex)));
}

// -- Condition variables

int cnd_init(cnd_t* condition) {
  return result_of(pthread_cond_init(posix(condition), nullptr));
}
void cnd_destroy(cnd_t* condition) {
  pthread_cond_destroy(posix(condition));
}
int cnd_signal(cnd_t* condition) {
  return result_of(pthread_cond_signal(posix(condition)));
}
int cnd_broadcast(cnd_t* condition) {
  return result_of(pthread_cond_broadcast(posix(condition)));
}
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return result_of(pthread_cond_wait(posix(condition), posix(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  return result_of(pthread_cond_timedwait(posix(condition), posix(mutex), time));
}

// -- Once-flags and thread-specific storage

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}
int tss_create(tss_t* key, tss_dtor_t destructor) {
  return result_of(pthread_key_create(key, destructor));
}
void tss_delete(tss_t key) {
  pthread_key_delete(key);
}
void* tss_get(tss_t key) {
  return pthread_getspecific(key);
}
int tss_set(tss_t key, void* value) {
  return result_of(pthread_setspecific(key, value));
}

}  // extern "C"
